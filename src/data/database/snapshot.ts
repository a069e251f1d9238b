import type { Snapshot } from "./types.js";

/** Settings of a snapshot, at the start of its transaction. Compiling its statements takes longer than it saves. */
export const BEGIN_SNAPSHOT = `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL statement_timeout = 0;
SET LOCAL DateStyle = ISO;
SET LOCAL jit = off`;

/** Rows that a cursor reads at a time: some milliseconds of work. */
const BATCH = 2_000;

/** Creates the function that reads through a cursor, from one that runs a statement and returns rows as arrays. */
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
      // The database reads the next rows while these are written.
      next = fetch();
      // If nobody waits for them, because the export has ended, their failure concerns nobody.
      next.catch(() => undefined);
      yield rows;
    }
    await run("CLOSE rows", []);
  };
}
