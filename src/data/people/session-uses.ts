import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";
import type { StoredSession } from "./sessions.js";

const LAST_USE_INTERVAL_MS = 60_000;

/**
 * Creates the function that records the last use of a session in the background, at most once a minute. Calls
 * `onFailed` with failures.
 */
export function createSessionUseRecorder(
  database: Database,
  onFailed: (error: unknown) => void,
): (session: StoredSession, now: Date) => void {
  return (session, now) => {
    if (Math.abs(now.getTime() - session.lastUsedAt.getTime()) < LAST_USE_INTERVAL_MS) return;
    session.lastUsedAt = now;
    write(database, "serve", (sql) =>
      sql.execute(
        "UPDATE sessions SET last_used_at = $2::timestamptz WHERE id = $1::uuid AND last_used_at < $2::timestamptz",
        [session.id, now.toISOString()],
      ),
    ).catch(onFailed);
  };
}
