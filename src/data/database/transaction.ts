import type { Database, SqlSession } from "./types.js";

/** Who writes, as the trail of key events names it. */
export type Writer =
  | `keys ${"create" | "revoke" | "rotate" | "update"}`
  | `organizations ${"create" | "rename" | "delete"}`
  | "import"
  | "import undo"
  | "load"
  | "serve"
  | "verify";

/**
 * THE door through which data is written: runs `work` in one transaction, committed when it resolves and rolled back when
 * it throws. The trail attributes what happens to keys in it to `writer`.
 */
export function write<T>(
  database: Database,
  writer: Writer,
  work: (sql: SqlSession) => Promise<T>,
): Promise<T> {
  return database.transaction(async (sql) => {
    await sql.query("SELECT set_config('gateway.command', $1, true)", [writer]);
    return work(sql);
  });
}
