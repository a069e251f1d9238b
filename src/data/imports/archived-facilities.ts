import type { SqlSession } from "../database/types.js";

/** A line that adds a record to an archived facility. */
export interface ArchivedFacility {
  readonly line: number;
  /** The facility's code. */
  readonly code: string;
}

/**
 * Counts the lines of an arranged file that would add a record to an archived facility, and lists the first ones.
 * Records that the facility already has are allowed.
 */
export async function findArchivedFacilities(
  sql: SqlSession,
  organizationId: string,
  maxListed: number,
): Promise<{ count: number; first: readonly ArchivedFacility[] }> {
  const rows = await sql.query<ArchivedFacility & { count: number }>(
    `SELECT line::float8, code, count(*) OVER ()::int AS count FROM (
       SELECT DISTINCT a.line, f.code
       FROM facilities f JOIN arranged a ON a.facility_id = f.id
       WHERE f.organization_id = $1::uuid AND f.archived_at IS NOT NULL AND NOT EXISTS (
         SELECT FROM emission_records r
         WHERE r.organization_id = $1::uuid AND r.id = a.id AND r.facility_id = f.id AND r.deleted_at IS NULL)
     ) AS found ORDER BY line LIMIT $2`,
    [organizationId, maxListed],
  );
  return { count: rows[0]?.count ?? 0, first: rows };
}
