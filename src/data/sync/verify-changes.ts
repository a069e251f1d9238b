import { COLLECTIONS } from "../../domain/collections.js";
import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";

/** Rows that a transaction changed in a table without an entry in `change_sets`, so that consumers never get them. */
export interface UnorderedRows {
  /** The organization's slug. */
  readonly organization: string;
  readonly table: string;
  readonly stamp: string;
  readonly rows: number;
}

/**
 * Finds rows whose stamp has no set with their table, for example after a change with disabled triggers. Skips rows
 * older than the oldest set, because their sets were pruned. Sorts them in the order in which audit_flush() locks the
 * heads of the trails.
 */
function findUnordered(sql: SqlSession): Promise<UnorderedRows[]> {
  const parts = Object.values(COLLECTIONS).map(
    (table) => `
    SELECT r.organization_id, '${table}' AS "table", r.stamp, count(*) AS rows FROM ${table} AS r
    LEFT JOIN oldest AS o ON o.organization_id = r.organization_id
    LEFT JOIN change_sets AS s ON s.organization_id = r.organization_id AND s.stamp = r.stamp AND '${table}' = ANY (s.tables)
    WHERE r.organization_id IS NOT NULL AND r.stamp > coalesce(o.stamp, 0) AND s.stamp IS NULL
    GROUP BY r.organization_id, r.stamp`,
  );
  return sql.query<UnorderedRows>(`
    WITH oldest AS (
      SELECT DISTINCT ON (organization_id) organization_id, stamp FROM change_sets ORDER BY organization_id, position
    )
    SELECT g.slug AS organization, u."table", u.stamp::text AS stamp, u.rows::float8 AS rows
    FROM (${parts.join(" UNION ALL ")}) AS u JOIN organizations AS g ON g.id = u.organization_id
    ORDER BY u.organization_id, u."table", u.stamp`);
}

/** Lists changed rows that are missing from `change_sets`. */
export const verifyChanges = (database: Database): Promise<UnorderedRows[]> =>
  database.transaction(findUnordered);

/** Appends the missing sets, so that consumers get the rows. Returns what was missing. */
export function repairChanges(database: Database): Promise<UnorderedRows[]> {
  return write(database, "verify", async (sql) => {
    const unordered = await findUnordered(sql);
    for (const { organization, table, stamp } of unordered) {
      await sql.query(
        "SELECT change_set_add(id, $2::bigint, ARRAY[$3::text]) FROM organizations WHERE slug = $1",
        [organization, stamp, table],
      );
    }
    return unordered;
  });
}
