import { revokeKey } from "../../data/keys/write-keys.js";
import { requireVersion } from "../action-error.js";
import { changeLocked } from "./change-locked.js";
import type { KeyContext } from "./rules.js";
import { type KeySummary, requireKeySummary } from "./summary.js";

/**
 * Revokes a key for good; a revoked key stays as it is. Throws ActionError for an unknown id, and for another version than
 * the expected one.
 */
export async function revokeKeyById(
  context: KeyContext,
  id: string,
  expectedVersion?: number | null,
): Promise<KeySummary> {
  await changeLocked(context, "keys revoke", id, async (sql, key) => {
    if (key.revokedAt !== null) return;
    requireVersion("key", key.version, expectedVersion);
    await revokeKey(sql, key.id, context.now, context.acting === undefined);
  });
  return requireKeySummary(context, id);
}
