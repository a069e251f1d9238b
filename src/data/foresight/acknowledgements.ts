import { type AnomalyAcknowledgement, Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An acknowledgement of an anomaly. `value` is the anomaly's amount or number of periods at that time. */
export type AcknowledgementRow = Readonly<Omit<AnomalyAcknowledgement, "organizationId">>;

const COLUMNS = `finding_id AS "anomalyId", value, note, acknowledged_by AS "acknowledgedBy", acknowledged_at AS "acknowledgedAt"`;

/** Finds acknowledgements by anomaly id. */
export async function findAcknowledgements(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AcknowledgementRow>> {
  const rows = await tenant.query<AcknowledgementRow>(Prisma.sql`
    SELECT ${Prisma.raw(COLUMNS)} FROM ${own.anomaly_acknowledgements} WHERE finding_id = ANY(${[...ids]}::text[])`);
  return new Map(rows.map((row) => [row.anomalyId, row]));
}

/** Returns the values of the latest `limit` acknowledgements, by anomaly id. */
export async function listAcknowledged(
  tenant: TenantReader,
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tenant.query<{ id: string; value: number }>(Prisma.sql`
    SELECT finding_id AS id, value FROM ${own.anomaly_acknowledgements} ORDER BY acknowledged_at DESC LIMIT ${limit}`);
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** Adds or replaces an anomaly's acknowledgement. */
export async function writeAcknowledgement(
  sql: SqlSession,
  organizationId: string,
  { anomalyId, value, note, acknowledgedBy, acknowledgedAt }: AcknowledgementRow,
): Promise<void> {
  await sql.execute(
    `INSERT INTO anomaly_acknowledgements (organization_id, finding_id, value, note, acknowledged_by, acknowledged_at)
     VALUES ($1::uuid, $2, $3::float8, $4, $5::uuid, $6::timestamptz)
     ON CONFLICT (organization_id, finding_id) DO UPDATE SET value = EXCLUDED.value, note = EXCLUDED.note,
       acknowledged_by = EXCLUDED.acknowledged_by, acknowledged_at = EXCLUDED.acknowledged_at`,
    [organizationId, anomalyId, value, note, acknowledgedBy, acknowledgedAt.toISOString()],
  );
}

/** Deletes and returns an anomaly's acknowledgement; null if it does not exist. */
export async function deleteAcknowledgement(
  sql: SqlSession,
  organizationId: string,
  anomalyId: string,
): Promise<AcknowledgementRow | null> {
  const [row] = await sql.query<AcknowledgementRow>(
    `DELETE FROM anomaly_acknowledgements WHERE organization_id = $1::uuid AND finding_id = $2 RETURNING ${COLUMNS}`,
    [organizationId, anomalyId],
  );
  return row ?? null;
}
