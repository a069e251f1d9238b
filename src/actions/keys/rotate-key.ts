import { generateKey } from "../../access/secrets/api-key.js";
import type { KeyRow } from "../../data/keys/keys.js";
import { replaceKey } from "../../data/keys/write-keys.js";
import { requireVersion } from "../action-error.js";
import { changeLocked } from "./change-locked.js";
import {
  type KeyContext,
  refuseState,
  requireConfirmedAndRecent,
  requireOverlap,
  requireRoom,
  requireTierInPlan,
  requireWithinCaller,
} from "./key-checks.js";
import { requireKey, statusOf } from "./key-summary.js";
import { type CreatedKey, createRow, describeCreated, notifyOfKey } from "./new-key.js";

/**
 * Creates a key with the same name, tier, scopes and expiry. Revokes the old key immediately, or lets it work for
 * another `overlapHours`. Throws InvalidInput for an overlap that is not offered, and as `requireWithinCaller` does.
 * Throws ActionError if the old key is unknown, revoked, expired or replaced, its version is not the expected one, its
 * tier is above the plan, or the organization has the maximum number of keys. For a user, it also throws
 * EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function rotateKey(
  context: KeyContext,
  id: string,
  overlapHours: number,
  expectedVersion?: number | null,
): Promise<CreatedKey> {
  const { now } = context;
  requireOverlap("key", overlapHours);
  return changeLocked(
    context,
    { command: "keys rotate", id, requireRow: requireKey, action: "api_key.rotated" },
    async (sql, old) => {
      requireVersion("key", old.version, expectedVersion);
      const status = statusOf(old, now);
      if (status !== "active") refuseState(`The key ${id} is ${status}: create a new one instead.`);
      if (old.replacedBy !== null) {
        refuseState(`The key ${id} was replaced by ${old.replacedBy}: rotate that one instead.`);
      }
      requireTierInPlan(old);
      requireWithinCaller(context, old);
      requireConfirmedAndRecent(context);
      const organizationId = old.organization.id;
      await requireRoom(sql, { organizationId, now, name: null, isMore: overlapHours > 0 });
      const text = generateKey();
      const row = createRow(context, { ...old, organizationId }, text);
      const created = await replaceKey(sql, old.id, endOfOld(old, now, overlapHours), row);
      await notifyOfKey(sql, context, organizationId, created);
      return describeCreated(text, old.organization.slug, created);
    },
  );
}

/** Returns the end of the old key: revoked now, or expired after the overlap unless it expires earlier. */
function endOfOld({ expiresAt }: KeyRow, now: Date, overlapHours: number) {
  if (overlapHours === 0) return { revokedAt: now };
  const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000);
  return { expiresAt: expiresAt !== null && expiresAt < overlapEnd ? expiresAt : overlapEnd };
}
