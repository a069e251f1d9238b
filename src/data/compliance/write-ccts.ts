import { randomUUID } from "node:crypto";
import type { SqlSession } from "../database/types.js";

/** A period's data. The entity and the financial year identify the period. Amounts are plain decimals. */
export interface PeriodContent {
  readonly entity: string;
  readonly financialYear: string;
  readonly targetGei: string;
  readonly targetSourceUrl: string;
  readonly achievedGei: string;
  readonly output: string;
  readonly averagePrice: string | null;
}

export interface StoredPeriod extends PeriodContent {
  readonly id: string;
  readonly version: number;
}

/** The columns of a StoredPeriod, selected from periods `p`. */
export const STORED_PERIOD_COLUMNS = `p.id, version, entity, financial_year AS "financialYear", trim_scale(target_gei)::text AS "targetGei",
  target_source_url AS "targetSourceUrl", trim_scale(achieved_gei)::text AS "achievedGei", trim_scale(output)::text AS output,
  trim_scale(average_price)::text AS "averagePrice"`;

/** Locks a period until the transaction ends, and returns it; undefined if the organization has none with this id. */
export async function lockPeriod(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<StoredPeriod | undefined> {
  const [period] = await sql.query<StoredPeriod>(
    `SELECT ${STORED_PERIOD_COLUMNS} FROM ccts_periods AS p WHERE organization_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    [organizationId, id],
  );
  return period;
}

/** Finds the period of an entity and year; undefined if the organization has none. */
export async function findPeriodOfYear(
  sql: SqlSession,
  organizationId: string,
  { entity, financialYear }: Pick<PeriodContent, "entity" | "financialYear">,
): Promise<StoredPeriod | undefined> {
  const [period] = await sql.query<StoredPeriod>(
    `SELECT ${STORED_PERIOD_COLUMNS} FROM ccts_periods AS p WHERE organization_id = $1::uuid AND entity = $2 AND financial_year = $3`,
    [organizationId, entity, financialYear],
  );
  return period;
}

/** Adds a period; returns its id, or null if the entity already has one for that year. */
export async function insertPeriod(
  sql: SqlSession,
  organizationId: string,
  { entity, financialYear, targetGei, targetSourceUrl, achievedGei, output, averagePrice }: PeriodContent,
): Promise<string | null> {
  const id = randomUUID();
  const inserted = await sql.execute(
    `INSERT INTO ccts_periods (id, organization_id, entity, financial_year, target_gei, target_source_url, achieved_gei, output,
       average_price)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5::text::numeric, $6, $7::text::numeric, $8::text::numeric, $9::text::numeric)
     ON CONFLICT (organization_id, entity, financial_year) DO NOTHING`,
    [
      id,
      organizationId,
      entity,
      financialYear,
      targetGei,
      targetSourceUrl,
      achievedGei,
      output,
      averagePrice,
    ],
  );
  return inserted === 1 ? id : null;
}

/** Changes the data of a locked period. */
export async function updatePeriod(
  sql: SqlSession,
  id: string,
  { targetGei, targetSourceUrl, achievedGei, output, averagePrice }: PeriodContent,
): Promise<void> {
  await sql.execute(
    `UPDATE ccts_periods SET target_gei = $2::text::numeric, target_source_url = $3, achieved_gei = $4::text::numeric,
       output = $5::text::numeric, average_price = $6::text::numeric
     WHERE id = $1::uuid`,
    [id, targetGei, targetSourceUrl, achievedGei, output, averagePrice],
  );
}

/** Counts the certificates surrendered for a period. */
export async function sumSurrendered(sql: SqlSession, organizationId: string, id: string): Promise<bigint> {
  const [row] = await sql.query<{ sum: string }>(
    `SELECT coalesce(sum(quantity), 0)::text AS sum FROM credit_retirements
     WHERE organization_id = $1::uuid AND ccts_period_id = $2::uuid`,
    [organizationId, id],
  );
  return BigInt(row?.sum ?? 0);
}

/**
 * Sums the retirements with the references `reference/1`, `reference/2` and so on; undefined if none exist. `period` is
 * null if they are not a surrender.
 */
export async function findSurrender(
  sql: SqlSession,
  organizationId: string,
  reference: string,
): Promise<{ readonly period: string | null; readonly quantity: number } | undefined> {
  const [found] = await sql.query<{ period: string | null; quantity: number }>(
    `SELECT min(ccts_period_id::text) AS period, sum(quantity)::float8 AS quantity FROM credit_retirements
     WHERE organization_id = $1::uuid AND starts_with(reference, $2 || '/') AND substr(reference, length($2) + 2) ~ '^[0-9]+$'
     HAVING count(*) > 0`,
    [organizationId, reference],
  );
  return found;
}

/** Type of the scheme's Carbon Credit Certificates, case-insensitive. */
export const CERTIFICATES = "CCC";

/** Lists the available batches of certificates, oldest vintage first, then by reference. Credits must be locked. */
export function listCertificates(
  sql: SqlSession,
  organizationId: string,
): Promise<{ readonly id: string; readonly available: number }[]> {
  return sql.query(
    `SELECT id, available::float8 AS available FROM credit_batches
     WHERE organization_id = $1::uuid AND upper(credit_type) = $2 AND available > 0 ORDER BY vintage NULLS LAST, reference`,
    [organizationId, CERTIFICATES],
  );
}
