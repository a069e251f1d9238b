import type { SqlSession } from "../database/types.js";
import { MAPPED_STREAM_COLUMNS, type MappedStream, type StreamKey } from "./streams.js";

/** Locks and returns a stream's mapping; null if it does not exist. */
export async function lockStreamMapping(
  sql: SqlSession,
  organizationId: string,
  { scope, category }: StreamKey,
): Promise<MappedStream | null> {
  const [row] = await sql.query<MappedStream>(
    `SELECT ${MAPPED_STREAM_COLUMNS} FROM emission_streams WHERE organization_id = $1::uuid AND scope = $2::text::emission_scope
       AND category IS NOT DISTINCT FROM $3::text FOR NO KEY UPDATE`,
    [organizationId, scope, category],
  );
  return row ?? null;
}

/** Adds or replaces a stream's mapping. */
export async function setStreamMapping(
  sql: SqlSession,
  organizationId: string,
  stream: Omit<MappedStream, "version">,
): Promise<void> {
  await sql.execute(
    `INSERT INTO emission_streams (organization_id, scope, category, line, method, activity_uncertainty_pct,
       factor_uncertainty_pct, renewable, note)
     VALUES ($1::uuid, $2::text::emission_scope, $3, $4::text::inventory_line, $5::text::stream_method, $6::numeric, $7::numeric,
       $8::boolean, $9)
     ON CONFLICT (organization_id, scope, category) DO UPDATE SET line = EXCLUDED.line, method = EXCLUDED.method,
       activity_uncertainty_pct = EXCLUDED.activity_uncertainty_pct, factor_uncertainty_pct = EXCLUDED.factor_uncertainty_pct,
       renewable = EXCLUDED.renewable, note = EXCLUDED.note`,
    [
      organizationId,
      stream.scope,
      stream.category,
      stream.line,
      stream.method,
      stream.activityUncertaintyPercentExact,
      stream.factorUncertaintyPercentExact,
      stream.renewable,
      stream.note,
    ],
  );
}

export async function deleteStreamMapping(
  sql: SqlSession,
  organizationId: string,
  { scope, category }: StreamKey,
): Promise<void> {
  await sql.execute(
    `DELETE FROM emission_streams WHERE organization_id = $1::uuid AND scope = $2::text::emission_scope
       AND category IS NOT DISTINCT FROM $3::text`,
    [organizationId, scope, category],
  );
}

/** Counts an organization's mapped streams. */
export async function countMappedStreams(sql: SqlSession, organizationId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM emission_streams WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return row?.count ?? 0;
}
