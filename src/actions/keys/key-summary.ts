import { findKey, type KeyRow } from "../../data/keys/keys.js";
import { isUuid } from "../../domain/texts/uuid.js";
import type { Tier } from "../../domain/tiers.js";
import { ActionError } from "../action-error.js";
import type { KeyContext, KeyReading } from "./key-checks.js";

/** A key without its secret. */
export interface KeySummary {
  readonly id: string;
  /** The first and last characters of the key. */
  readonly display: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  readonly status: "active" | "revoked" | "expired";
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** Id of the key with which a rotation replaced this one. */
  readonly replacedBy: string | null;
}

/** Returns the summary of a stored key at a time. */
export function summarizeKey(key: KeyRow, now: Date): KeySummary {
  return {
    id: key.id,
    display: key.display,
    organization: key.organization.slug,
    name: key.name,
    tier: key.tier,
    scopes: key.scopes,
    status: statusOf(key, now),
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    lastUsedAt: key.lastUsedAt,
    replacedBy: key.replacedBy,
  };
}

/** Returns the status of a key at a time. */
export function statusOf({ revokedAt, expiresAt }: KeyRow, now: Date): KeySummary["status"] {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

/**
 * Returns a key by its id; for a request, only a key of the active organization. Throws ActionError if it does not
 * exist.
 */
export async function requireKey({ database, caller }: KeyReading, id: string): Promise<KeyRow> {
  const key = await findKey(database, requireKeyId(id));
  const isOwn = !caller || key?.organization.id === caller.writer.organizationId;
  if (!key || !isOwn) throw new ActionError("NOT_FOUND", "key", `There is no key with the id ${id}.`);
  return key;
}

/** Returns the summary of a key by its id. Throws ActionError if it does not exist. */
export async function requireKeySummary(context: KeyContext, id: string): Promise<KeySummary> {
  return summarizeKey(await requireKey(context, id), context.now);
}

/** Returns an id in lower case. Throws ActionError if it is not a UUID. */
export function requireKeyId(id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  // The message omits the input, because it may be a key.
  throw new ActionError("NOT_FOUND", "key", "Expected the id of a key, which is a UUID.");
}
