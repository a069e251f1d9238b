import { setImmediate as nextTurn } from "node:timers/promises";
import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";

const LAST_USE_INTERVAL_MS = 60_000;

/** A key, or a token of a service account. */
export interface UsedCredential {
  readonly id: string;
  lastUsedAt: Date | null;
}

/** Records the use of a key or token in the background. */
export type RecordUse = (used: UsedCredential, now: Date) => void;

type UsedTable = "api_keys" | "service_account_tokens";

/**
 * Creates the function that records the last use of keys in the background, at most once a minute per key across all
 * processes. Keys used in the same turn of the event loop, or while a statement runs, share the next statement: a
 * statement for each would cost this process 0.7 to 5 ms per key and minute. If the database rejects a statement, each
 * of its keys is retried alone, so that a bad row does not affect the others. Calls `onFailed` with failures.
 */
export function createUseRecorder(
  database: Database,
  table: UsedTable,
  onFailed: (error: unknown) => void,
): RecordUse {
  const used = new Map<string, Date>();
  let isWriting = false;
  const writeAll = async () => {
    isWriting = true;
    while (used.size > 0) {
      await nextTurn();
      const uses = [...used];
      used.clear();
      await writeUses(database, table, uses).catch(async (error: unknown) => {
        if (uses.length === 1 || !isRefused(error)) return onFailed(error);
        for (const use of uses) await writeUses(database, table, [use]).catch(onFailed);
      });
    }
    isWriting = false;
  };
  return (key, now) => {
    // `abs`, because a last use in the future comes from a different clock or is wrong.
    if (key.lastUsedAt !== null && Math.abs(now.getTime() - key.lastUsedAt.getTime()) < LAST_USE_INTERVAL_MS)
      return;
    key.lastUsedAt = now;
    used.set(key.id, now);
    if (!isWriting) void writeAll();
  };
}

function writeUses(
  database: Database,
  table: UsedTable,
  uses: readonly (readonly [id: string, time: Date])[],
): Promise<number> {
  // SKIP LOCKED, because two processes that update the same keys in a different order would deadlock.
  return write(database, "serve", (sql) =>
    sql.execute(
      `UPDATE ${table} SET last_used_at = due.time
       FROM (
         SELECT id, used.time FROM ${table} JOIN unnest($1::uuid[], $2::timestamptz[]) AS used (id, time) USING (id)
         WHERE last_used_at IS NULL OR last_used_at <= used.time - $3 * interval '1 millisecond'
           OR last_used_at > used.time + interval '1 day'
         FOR NO KEY UPDATE OF ${table} SKIP LOCKED
       ) AS due
       WHERE ${table}.id = due.id`,
      [uses.map(([id]) => id), uses.map(([, time]) => time.toISOString()), LAST_USE_INTERVAL_MS],
    ),
  );
}

/** Returns true if PostgreSQL rejected a row because of a constraint. */
function isRefused(error: unknown): boolean {
  return /^23/.test(String((error as { code?: unknown }).code));
}
