import type { Database } from "./types.js";

/**
 * Makes PostgreSQL count anew what is in tables that much was written to: it plans by what it counted last. Leaves out a
 * table that this role does not own, or that is being cleaned up. Never throws, since what was written is written.
 */
export async function analyze(database: Database, tables: readonly string[]): Promise<void> {
  const statement = `ANALYZE (SKIP_LOCKED) ${tables.join(", ")}`;
  await database.transaction((sql) => sql.script(statement)).catch(() => undefined);
}
