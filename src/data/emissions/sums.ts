import { EMISSION_SCOPES, type EmissionScope } from "../../domain/enums.js";
import type { DateRange, IsoDate, TrendStep } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { cte } from "../tenant/sources.js";
import {
  type Breakdown,
  fromMarketBasedSums,
  fromParts,
  fromSums,
  HAS_RECORDS,
  type RecordsToSum,
  selectDays,
  selectSums,
} from "./select-sums.js";

/** Tonnes of CO2 equivalent: as a float, and as the exact decimal that the database summed. */
export interface Amount {
  readonly co2eTonnes: number;
  readonly co2eTonnesExact: string;
  readonly recordCount: number;
}

export interface ScopeAmount extends Amount {
  readonly scope: EmissionScope;
}

export interface AmountByScope extends Amount {
  /** All three scopes, in order. */
  readonly byScope: readonly ScopeAmount[];
}

export interface EmissionTotals extends AmountByScope {
  readonly latestRecord: IsoDate | null;
}

export interface PeriodAmount extends AmountByScope {
  /** First day of the calendar month, quarter or year. */
  readonly start: IsoDate;
}

export interface PartAmount extends AmountByScope {
  /** Facility id, category or country; null for records without one. */
  readonly part: string | null;
}

export interface PartPeriodAmount extends PartAmount, PeriodAmount {}

type SumColumn = "total" | EmissionScope;
type SumRow = Record<SumColumn, string> & Record<`${SumColumn}_count`, number>;

const sums = (column: SumColumn, filter: Prisma.Sql) => {
  const name = Prisma.raw(column);
  return Prisma.sql`trim_scale(coalesce(sum(co2e_tonnes) ${filter}, 0))::text AS ${name},
    coalesce(sum(record_count) ${filter}, 0)::bigint AS ${Prisma.raw(`${column}_count`)}`;
};

/** Columns of every sum: the total, and each scope. */
const SUMS = Prisma.join([
  sums("total", Prisma.empty),
  ...EMISSION_SCOPES.map((scope) =>
    sums(scope, Prisma.sql`FILTER (WHERE scope = ${Prisma.raw(`'${scope}'`)})`),
  ),
]);

function amountOf(row: SumRow | undefined, column: SumColumn): Amount {
  const exact = row?.[column] ?? "0";
  return {
    co2eTonnes: Number(exact),
    co2eTonnesExact: exact,
    recordCount: row?.[`${column}_count`] ?? 0,
  };
}

function amountByScope(row: SumRow | undefined): AmountByScope {
  return {
    ...amountOf(row, "total"),
    byScope: EMISSION_SCOPES.map((scope) => ({ scope, ...amountOf(row, scope) })),
  };
}

/** Market-based amounts of scope 2, which records may have in addition to their location-based amounts. */
export interface MarketBased {
  /** Tonnes of CO2 equivalent as a plain decimal; null if no record has such an amount. */
  readonly co2eTonnesExact: string | null;
  /** Number of records with such an amount. */
  readonly recordCount: number;
}

export async function sumMarketBased(tenant: TenantReader, range: DateRange): Promise<MarketBased> {
  const [row] = await tenant.query<MarketBased>(Prisma.sql`
    SELECT trim_scale(sum(co2e_tonnes))::text AS "co2eTonnesExact", sum(record_count)::bigint AS "recordCount"
    FROM ${fromMarketBasedSums(range)} ${HAS_RECORDS}`);
  return row ?? { co2eTonnesExact: null, recordCount: 0 };
}

const SELECTED = cte("sums");

export async function sumEmissions(tenant: TenantReader, summed: RecordsToSum): Promise<EmissionTotals> {
  const { range, filter } = summed;
  // The newest sum with records is for a day, or for a month whose days contain the latest record.
  const days = Prisma.sql`BETWEEN newest.start AND least(newest.start + interval '1 month - 1 day', ${range.to}::date)`;
  const [row] = await tenant.query<SumRow & { latest: IsoDate | null }>(Prisma.sql`
    SELECT * FROM (
      WITH ${SELECTED} AS MATERIALIZED (${selectSums(summed)})
      SELECT ${SUMS}, (
        SELECT latest.recorded_on::text
        FROM (
          SELECT recorded_on AS start FROM ${SELECTED} GROUP BY recorded_on ${HAS_RECORDS} ORDER BY recorded_on DESC LIMIT 1
        ) AS newest CROSS JOIN LATERAL (
          SELECT recorded_on FROM (${selectDays(days, filter)}) AS days
          GROUP BY recorded_on ${HAS_RECORDS} ORDER BY recorded_on DESC LIMIT 1
        ) AS latest
      ) AS latest
      FROM ${SELECTED}
    ) AS answer`);
  return { ...amountByScope(row), latestRecord: row?.latest ?? null };
}

const startOf = (step: TrendStep) =>
  Prisma.sql`date_trunc(${step}, recorded_on::timestamp)::date::text AS start`;

/** Sums emissions by calendar month, quarter or year. Omits periods without records. */
export async function sumByPeriod(
  tenant: TenantReader,
  summed: RecordsToSum,
  step: TrendStep,
): Promise<PeriodAmount[]> {
  const rows = await tenant.query<SumRow & { start: IsoDate }>(Prisma.sql`
    SELECT ${startOf(step)}, ${SUMS} FROM ${fromSums(summed)} GROUP BY 1 ${HAS_RECORDS}`);
  return rows.map((row) => ({ ...amountByScope(row), start: row.start }));
}

/**
 * Sums emissions by part, largest first: the `limit` largest parts, the given parts, or all. Omits parts without
 * records.
 */
export async function sumByPart(
  tenant: TenantReader,
  summed: RecordsToSum,
  by: Breakdown,
  which: { readonly limit?: number; readonly parts?: readonly string[] },
): Promise<PartAmount[]> {
  const limit = which.limit === undefined ? Prisma.empty : Prisma.sql`LIMIT ${which.limit}`;
  const rows = await tenant.query<SumRow & { part: string }>(Prisma.sql`
    SELECT part, ${SUMS} FROM ${fromParts(summed, by, which.parts)}
    GROUP BY part ${HAS_RECORDS} ORDER BY sum(co2e_tonnes) DESC, part ${limit}`);
  return rows.map((row) => ({ ...amountByScope(row), part: row.part || null }));
}

/** Counts the parts with records. Records without a part form one part. */
export async function countParts(tenant: TenantReader, summed: RecordsToSum, by: Breakdown): Promise<number> {
  const [row] = await tenant.query<{ count: string }>(Prisma.sql`
    SELECT count(*)::text AS count FROM (SELECT part FROM ${fromParts(summed, by)} GROUP BY part ${HAS_RECORDS}) AS found`);
  return Number(row?.count);
}

/** Sums emissions of the given parts, or all, by calendar month, quarter or year. Omits periods without records. */
export async function sumPartsByPeriod(
  tenant: TenantReader,
  summed: RecordsToSum,
  by: Breakdown,
  { parts, step }: { readonly parts?: readonly string[]; readonly step: TrendStep },
): Promise<PartPeriodAmount[]> {
  const rows = await tenant.query<SumRow & { part: string; start: IsoDate }>(Prisma.sql`
    SELECT part, ${startOf(step)}, ${SUMS} FROM ${fromParts(summed, by, parts)} GROUP BY 1, 2 ${HAS_RECORDS}`);
  return rows.map((row) => ({ ...amountByScope(row), part: row.part || null, start: row.start }));
}
