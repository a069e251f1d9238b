import type { Snapshot } from "./types.js";

/** Statements at the start of a snapshot's transaction. JIT compilation would take longer than it saves. */
export const BEGIN_SNAPSHOT = `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL statement_timeout = 0;
SET LOCAL DateStyle = ISO;
SET LOCAL jit = off`;

/**
 * Number of rows to fetch at a time, which takes a few milliseconds. A server sends more rows as fast as one turn of the
 * event loop can read them.
 */
const BATCH = 500;

/** Creates a function that reads through a cursor. `run` runs a statement and returns rows as arrays. */
export function createStream(
  run: (sql: string, parameters: readonly unknown[]) => Promise<(string | null)[][]>,
): Snapshot["stream"] {
  return async function* stream(sql, parameters) {
    await run(`DECLARE rows NO SCROLL CURSOR FOR ${sql}`, parameters);
    const fetch = () => run(`FETCH ${BATCH} FROM rows`, []);
    let next = fetch();
    for (;;) {
      const rows = await next;
      if (rows.length === 0) break;
      // The database reads the next rows while the caller writes these.
      next = fetch();
      // If the export ends before it awaits them, a failure must not become an unhandled rejection.
      next.catch(() => undefined);
      yield rows;
    }
    await run("CLOSE rows", []);
  };
}
