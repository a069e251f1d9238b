import type { Database, SqlSession } from "../types.js";

/**
 * Refreshes the statistics of tables after large writes, for PostgreSQL's query planner. Skips locked tables, and
 * tables that this role does not own, for which PostgreSQL would log a warning. Reports a failure instead of throwing
 * it, since the data is already committed.
 */
export async function analyze(database: Database, tables: readonly string[]): Promise<void> {
  const work = async (sql: SqlSession) => {
    const own = await sql.query<{ name: string }>(
      `SELECT name FROM unnest($1::text[]) AS name JOIN pg_class AS c ON c.oid = to_regclass(name)
       WHERE pg_has_role(c.relowner, 'USAGE')`,
      [tables],
    );
    if (own.length > 0) await sql.script(`ANALYZE (SKIP_LOCKED) ${own.map(({ name }) => name).join(", ")}`);
  };
  await database
    .transaction(work, { mayTakeLong: true })
    .catch((error: unknown) => database.warn(error, "could not refresh PostgreSQL's statistics"));
}
