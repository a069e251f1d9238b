import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { RECORD_COLUMNS, type RecordRow, type RecordValues } from "./record-rows.js";
import { type RecordSearch, searchConditions } from "./records.js";

/** Number of records by origin of their amounts. */
export interface RecordOrigins {
  /** Calculated with an emission factor. */
  readonly byFactor: number;
  /** Calculated with the global warming potential of a gas. */
  readonly byGas: number;
  /** Entered in tonnes. */
  readonly given: number;
}

/** Counts the matching records by origin. Reads all of them. */
export async function countOrigins(tenant: TenantReader, wanted: RecordSearch): Promise<RecordOrigins> {
  const [row] = await tenant.query<RecordOrigins>(Prisma.sql`
    SELECT count(factor_id) AS "byFactor", count(*) FILTER (WHERE calculation IS NULL) AS given,
      count(calculation) - count(factor_id) AS "byGas"
    FROM ${own.emission_records} ${whereAll(searchConditions(wanted))}`);
  return row ?? { byFactor: 0, byGas: 0, given: 0 };
}

/** Lists the matching records that were calculated with an emission factor, latest day first. */
export function listCalculatedByFactor(
  tenant: TenantReader,
  wanted: RecordSearch,
): Promise<readonly RecordRow[]> {
  const where = [...searchConditions(wanted), Prisma.sql`factor_id IS NOT NULL`];
  return tenant.query<RecordRow>(Prisma.sql`
    SELECT ${Prisma.raw(RECORD_COLUMNS)} FROM ${own.emission_records} ${whereAll(where)}
    ORDER BY recorded_on DESC, id DESC`);
}

/** A record's new calculation. */
export interface NewCalculation
  extends Pick<RecordValues, "co2eTonnes" | "activity" | "calculation" | "factorId"> {
  readonly id: string;
}

/** Locks records, except deleted ones, until the transaction ends. Returns their versions by id. */
export async function lockRecordVersions(
  sql: SqlSession,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  // Ordered by id, to avoid deadlocks between two calls.
  const rows = await sql.query<{ id: string; version: number }>(
    `SELECT id, version FROM emission_records
     WHERE organization_id = $1::uuid AND id = ANY($2::uuid[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
    [organizationId, ids],
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Updates records with new calculations in one statement. Above 100 records, the audit trail gets a single entry. */
export async function writeCalculations(
  sql: SqlSession,
  organizationId: string,
  calculations: readonly NewCalculation[],
): Promise<void> {
  await sql.execute(
    `UPDATE emission_records AS r SET co2e_tonnes = new."co2eTonnes", activity = new.activity,
       calculation = new.calculation, factor_id = new."factorId"
     FROM jsonb_to_recordset($2::text::jsonb)
       AS new (id uuid, "co2eTonnes" numeric, activity jsonb, calculation jsonb, "factorId" uuid)
     WHERE r.organization_id = $1::uuid AND r.id = new.id`,
    [organizationId, JSON.stringify(calculations)],
  );
}
