import type { Database } from "./types.js";

/**
 * Refreshes PostgreSQL's statistics of tables after large writes, since it plans queries by them. Skips tables that this
 * role does not own or that are locked. Never throws, as the data itself is already committed.
 */
export async function analyze(database: Database, tables: readonly string[]): Promise<void> {
  const statement = `ANALYZE (SKIP_LOCKED) ${tables.join(", ")}`;
  await database.transaction((sql) => sql.script(statement)).catch(() => undefined);
}
