import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** The value of a business metric for one month. */
export interface MetricRow {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  /** `YYYY-MM`. */
  readonly month: string;
  /** The value with every digit, as a plain decimal. */
  readonly valueExact: string;
  readonly version: number;
}

export const METRIC_COLUMNS = `id, name, unit, to_char(month, 'YYYY-MM') AS month, trim_scale(value)::text AS "valueExact", version`;

/** Needs the alias `m`, because METRIC_COLUMNS also defines a column named `month`. */
const listed = (name: string | null) => ({
  from: Prisma.sql`${own.business_metrics} AS m`,
  where: name === null ? [] : [Prisma.sql`name = ${name}`],
});

/** Reads a page of monthly values by name and month, of one metric or (null) of all. */
export function listMetrics(
  tenant: TenantReader,
  name: string | null,
  page: PageRequest,
): Promise<Page<MetricRow>> {
  const columns = [["name", "text"] as const, ["m.month", "date"] as const];
  const order = { columns, descending: false };
  return readPage(
    tenant,
    { select: Prisma.raw(METRIC_COLUMNS), ...listed(name), order, isIndexed: true },
    page,
  );
}

/** Counts the monthly values of one metric or (null) of all. */
export const countMetrics = (tenant: TenantReader, name: string | null): Promise<number> =>
  countRows(tenant, listed(name));

export async function findMetric(tenant: TenantReader, id: string): Promise<MetricRow | null> {
  const [row] = await tenant.query<MetricRow>(
    Prisma.sql`SELECT ${Prisma.raw(METRIC_COLUMNS)} FROM ${own.business_metrics} WHERE id = ${id}::uuid`,
  );
  return row ?? null;
}

/** The sum of a business metric over a range of whole months. */
export interface MetricTotal {
  readonly name: string;
  readonly unit: string;
  /** A plain decimal. */
  readonly totalExact: string;
  /** Months that have a value, as `YYYY-MM`. */
  readonly months: readonly string[];
}

/** Sums each of the organization's business metrics over a range of whole months, by name. */
export function sumMetrics(tenant: TenantReader, { from, to }: DateRange): Promise<readonly MetricTotal[]> {
  const inRange = Prisma.sql`FILTER (WHERE month BETWEEN ${from}::date AND ${to}::date)`;
  return tenant.query<MetricTotal>(Prisma.sql`
    SELECT name, min(unit) AS unit, trim_scale(coalesce(sum(value) ${inRange}, 0))::text AS "totalExact",
      coalesce(array_agg(to_char(month, 'YYYY-MM')) ${inRange}, '{}') AS months
    FROM ${own.business_metrics} GROUP BY name ORDER BY name`);
}
