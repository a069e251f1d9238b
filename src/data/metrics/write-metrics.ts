import type { SqlSession } from "../database/types.js";
import { METRIC_COLUMNS, type MetricRow } from "./metrics.js";

const firstDayOf = (month: string) => `${month}-01`;

/** State of a metric before a value is written for a month. */
export interface MetricState {
  /** Unit of its other values; null if it has none. */
  readonly unit: string | null;
  /** The month's current value; null if it has none. */
  readonly existing: MetricRow | null;
  /** Number of distinct metrics that the organization has. */
  readonly names: number;
}

/** Reads the state of a metric for a month (`YYYY-MM`). */
export async function findMetricState(
  sql: SqlSession,
  organizationId: string,
  name: string,
  month: string,
): Promise<MetricState> {
  const [existing] = await sql.query<MetricRow>(
    `SELECT ${METRIC_COLUMNS} FROM business_metrics WHERE organization_id = $1::uuid AND name = $2 AND month = $3::date`,
    [organizationId, name, firstDayOf(month)],
  );
  const [others] = await sql.query<{ unit: string | null; names: number }>(
    `SELECT min(unit) FILTER (WHERE name = $2 AND month <> $3::date) AS unit, count(DISTINCT name) AS names
     FROM business_metrics WHERE organization_id = $1::uuid`,
    [organizationId, name, firstDayOf(month)],
  );
  return { unit: others?.unit ?? null, existing: existing ?? null, names: others?.names ?? 0 };
}

export async function findOwnMetric(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<MetricRow | null> {
  const [row] = await sql.query<MetricRow>(
    `SELECT ${METRIC_COLUMNS} FROM business_metrics WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [organizationId, id],
  );
  return row ?? null;
}

export type NewMetric = Omit<MetricRow, "id" | "version">;

export async function insertMetric(
  sql: SqlSession,
  organizationId: string,
  { name, unit, month, valueExact }: NewMetric,
): Promise<MetricRow> {
  const [row] = await sql.query<MetricRow>(
    `INSERT INTO business_metrics (organization_id, name, unit, month, value)
     VALUES ($1::uuid, $2, $3, $4::date, $5::numeric) RETURNING ${METRIC_COLUMNS}`,
    [organizationId, name, unit, firstDayOf(month), valueExact],
  );
  return row as MetricRow;
}

export async function updateMetric(
  sql: SqlSession,
  organizationId: string,
  { id, unit, valueExact }: Pick<MetricRow, "id" | "unit" | "valueExact">,
): Promise<MetricRow> {
  const [row] = await sql.query<MetricRow>(
    `UPDATE business_metrics SET unit = $3, value = $4::numeric
     WHERE organization_id = $1::uuid AND id = $2::uuid RETURNING ${METRIC_COLUMNS}`,
    [organizationId, id, unit, valueExact],
  );
  return row as MetricRow;
}
