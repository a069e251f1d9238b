import type { EmissionScope } from "../../domain/enums.js";
import type { Scope2Method } from "../../domain/inventory/scope-sums.js";
import { Prisma } from "../../generated/prisma/client.js";
import { HAS_RECORDS } from "../emissions/select-sums.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A reduction target. Amounts are exact decimals. */
export interface TargetRow {
  readonly id: string;
  readonly name: string;
  /** In order. */
  readonly scopes: readonly EmissionScope[];
  readonly scope2Method: Scope2Method | null;
  readonly metric: string | null;
  readonly baseYear: number;
  readonly targetYear: number;
  readonly reductionPercentExact: string | null;
  readonly targetValueExact: string | null;
  readonly actions: string | null;
  readonly version: number;
}

export const TARGET_COLUMNS = `id, name, to_json(scopes) AS scopes, scope_2_method::text AS "scope2Method", metric, base_year AS "baseYear",
  target_year AS "targetYear", trim_scale(reduction_pct)::text AS "reductionPercentExact",
  trim_scale(target_value)::text AS "targetValueExact", actions, version`;

/** Lists the targets by target year and name. */
export const listTargets = (tenant: TenantReader): Promise<readonly TargetRow[]> =>
  tenant.query<TargetRow>(
    Prisma.sql`SELECT ${Prisma.raw(TARGET_COLUMNS)} FROM ${own.reduction_targets} ORDER BY target_year, name`,
  );

export async function findTarget(tenant: TenantReader, id: string): Promise<TargetRow | null> {
  const [row] = await tenant.query<TargetRow>(
    Prisma.sql`SELECT ${Prisma.raw(TARGET_COLUMNS)} FROM ${own.reduction_targets} WHERE id = ${id}::uuid`,
  );
  return row ?? null;
}

/** Range of inventory years. `startsIn` is their first month, 1 to 12. */
export interface YearRange {
  readonly first: number;
  readonly last: number;
  readonly startsIn: number;
}

/** Returns SQL for the inventory year of a date column. */
const yearOf = (date: string, { startsIn }: YearRange) =>
  Prisma.sql`date_part('year', ${Prisma.raw(date)} - pg_catalog.make_interval(months => ${startsIn - 1}::int))::int`;

const isIn = (date: string, { first, last, startsIn }: YearRange) => {
  const month = String(startsIn).padStart(2, "0");
  return Prisma.sql`${Prisma.raw(date)} >= ${`${first}-${month}-01`}::date AND ${Prisma.raw(date)} < ${`${last + 1}-${month}-01`}::date`;
};

/** Lists the years of a range that have records, in order. */
export async function listYearsWithRecords(tenant: TenantReader, range: YearRange): Promise<number[]> {
  const rows = await tenant.query<{ year: number }>(Prisma.sql`
    SELECT DISTINCT year FROM (
      SELECT ${yearOf("recorded_on", range)} AS year, sum(record_count) FROM ${own.emission_days}
      WHERE grain = 'month' AND ${isIn("recorded_on", range)} GROUP BY recorded_on ${HAS_RECORDS}
    ) AS months ORDER BY year`);
  return rows.map(({ year }) => year);
}

/** A business metric in a year that has a value for every month. */
export interface MetricOfYear {
  readonly name: string;
  readonly year: number;
  /** Sum of the 12 months, as an exact decimal. */
  readonly totalExact: string;
}

/** Sums business metrics by year. Omits years with a missing month. */
export const sumMetricsByYear = (
  tenant: TenantReader,
  names: readonly string[],
  range: YearRange,
): Promise<readonly MetricOfYear[]> =>
  tenant.query<MetricOfYear>(Prisma.sql`
    SELECT name, ${yearOf("month", range)} AS year, trim_scale(sum(value))::text AS "totalExact"
    FROM ${own.business_metrics} WHERE name = ANY(${[...names]}::text[]) AND ${isIn("month", range)}
    GROUP BY 1, 2 HAVING count(*) = 12`);

/** Returns true if the organization has any value for a business metric. */
export async function hasMetric(tenant: Pick<TenantReader, "query">, name: string): Promise<boolean> {
  const found = await tenant.query(
    Prisma.sql`SELECT 1 AS found FROM ${own.business_metrics} WHERE name = ${name} LIMIT 1`,
  );
  return found.length > 0;
}
