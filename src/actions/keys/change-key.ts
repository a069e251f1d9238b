import type { SqlSession } from "../../data/database/types.js";
import type { KeyRow } from "../../data/keys/keys.js";
import { type KeyChanges, updateKey } from "../../data/keys/write-keys.js";
import { InvalidInput, requireValid, requireVersion } from "../action-error.js";
import { changesNothing } from "../idempotency.js";
import { changeLocked } from "./change-locked.js";
import {
  isWidening,
  type KeyContext,
  readKeyName,
  refuseState,
  requireConfirmedAndRecent,
  requireFuture,
  requireKeyScopes,
  requireRoom,
  requireWithinCaller,
  requireWithinPlan,
} from "./key-checks.js";
import { type KeySummary, requireKey, requireKeySummary, statusOf } from "./key-summary.js";

/**
 * Changes the name, tier, scopes or expiry of a key; its used quota is unchanged. Throws InvalidInput for every fault.
 * Throws ActionError for an unknown id, an unexpected version, a new expiry of a revoked key, a later expiry of a
 * replaced key, and whenever `createKey` does. For a user, it also throws EMAIL_NOT_CONFIRMED and
 * REAUTHENTICATION_REQUIRED if the change lets the key do more.
 */
export async function changeKey(
  context: KeyContext,
  id: string,
  changes: KeyChanges,
  expectedVersion?: number | null,
): Promise<KeySummary> {
  if (Object.keys(changes).length === 0) {
    throw new InvalidInput("key", null, "Nothing to change: give a new tier, scopes, name or expiry.");
  }
  const { tier, scopes, expiresAt } = changes;
  const { organization } = await requireKey(context, id);
  const [name] = requireValid(
    () => (changes.name === undefined ? undefined : readKeyName(changes.name)),
    () => tier !== undefined && requireWithinPlan(tier, organization.plan),
    () => scopes !== undefined && requireKeyScopes(scopes),
    () => requireFuture(expiresAt ?? null, context.now),
  );
  const read = {
    ...changes,
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes: [...new Set(scopes)] }),
  };
  await changeLocked(context, { command: "keys update", id, requireRow: requireKey }, async (sql, old) => {
    if (old.revokedAt === null && changesNothing(old, read)) return;
    requireVersion("key", old.version, expectedVersion);
    await requireChangeable(context, sql, old, read);
    await updateKey(sql, old.id, read);
  });
  return requireKeySummary(context, id);
}

/**
 * Throws if the changes conflict with the state of a key or the organization's other keys, or if they widen the key and
 * the caller may not do that now.
 */
async function requireChangeable(
  context: KeyContext,
  sql: SqlSession,
  old: KeyRow,
  changes: KeyChanges,
): Promise<void> {
  const { id, revokedAt, organization } = old;
  const { now } = context;
  const { name = old.name, expiresAt } = changes;
  if (expiresAt !== undefined && revokedAt !== null) {
    refuseState(`The key ${id} is permanently revoked: create a new one instead.`);
  }
  const wasActive = statusOf(old, now) === "active";
  const isActive = wasActive || (expiresAt !== undefined && revokedAt === null);
  const isWider = isWidening(old, changes);
  if (isWider && expiresAt !== undefined && old.replacedBy !== null) {
    refuseState(`The key ${id} was replaced by ${old.replacedBy}: use that one.`);
  }
  if (isWider) {
    requireConfirmedAndRecent(context);
    requireWithinCaller(context, {
      scopes: changes.scopes ?? old.scopes,
      expiresAt: expiresAt === undefined ? old.expiresAt : expiresAt,
    });
  }
  if (isActive && (!wasActive || name !== old.name)) {
    await requireRoom(sql, { organizationId: organization.id, now, name, isMore: !wasActive, ownId: id });
  }
}
