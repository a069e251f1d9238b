import { revokeKey } from "../../data/keys/write-keys.js";
import { requireVersion } from "../action-error.js";
import { changeLocked } from "./change-locked.js";
import type { KeyContext } from "./key-checks.js";
import { type KeySummary, requireKey, requireKeySummary } from "./key-summary.js";

/**
 * Revokes a key permanently; a revoked key is unchanged. Throws ActionError for an unknown id, and if the version is
 * not the expected one.
 */
export async function revokeKeyById(
  context: KeyContext,
  id: string,
  expectedVersion?: number | null,
): Promise<KeySummary> {
  await changeLocked(context, { command: "keys revoke", id, requireRow: requireKey }, async (sql, key) => {
    if (key.revokedAt !== null) return;
    requireVersion("key", key.version, expectedVersion);
    await revokeKey(sql, key.id, context.now, context.caller === undefined);
  });
  return requireKeySummary(context, id);
}
