import { EMISSION_SCOPES, type EmissionScope } from "../../domain/enums.js";
import { type DateRange, type IsoDate, splitByMonths, type TrendStep } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { isOneOf, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { cte, own } from "../tenant/sources.js";
import { type RecordFilter, recordConditions, selectsSingleRecords } from "./records.js";

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

export type Breakdown = "facility" | "category" | "country";

/** Level of detail of sums: a breakdown, or each facility's categories. */
export type SumDetail = Breakdown | "facility_and_category";

export interface PartAmount extends AmountByScope {
  /** Facility id, category or country; null for records without one. */
  readonly part: string | null;
}

export interface PartPeriodAmount extends PartAmount, PeriodAmount {}

/** The records to sum. */
export interface Summed {
  readonly range: DateRange;
  readonly filter: RecordFilter;
}

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

/** Drops sums without records. A sum may consist of several rows, which add up to zero once its records are deleted. */
export const HAS_RECORDS = Prisma.sql`HAVING sum(record_count) > 0`;

/** Dimensions that a query needs. */
interface Detail {
  readonly facility: boolean;
  readonly category: boolean;
}

function detailOf({ facilityIds, countries, categories }: RecordFilter, by?: SumDetail): Detail {
  const isOfBoth = by === "facility_and_category";
  return {
    facility: isOfBoth || by === "facility" || by === "country" || facilityIds != null || countries != null,
    category: isOfBoth || by === "category" || categories != null,
  };
}

/** Returns the columns of emission_days that hold the facility and the category at a level of detail. */
function columnsOf({ facility, category }: Detail) {
  const none = Prisma.sql`''`;
  const part = Prisma.sql`part`;
  return {
    facility: facility ? part : none,
    category: category ? (facility ? Prisma.sql`subpart` : part) : none,
  };
}

/** Returns a SELECT of the stored sums whose day, or first day of the month, meets the condition `when`. */
function selectStoredSums(grain: string, when: Prisma.Sql, filter: RecordFilter, detail: Detail): Prisma.Sql {
  const { facility, category } = columnsOf(detail);
  const conditions = [
    Prisma.sql`grain = ${Prisma.raw(`'${grain}'`)} AND recorded_on ${when}`,
    ...isOneOf("scope", "emission_scope", filter.scopes),
    ...isOneOf(facility, "text", filter.facilityIds),
    // An empty string stands for records without a category, which no filter can request.
    ...isOneOf(
      category,
      "text",
      filter.categories?.filter((name) => name !== ""),
    ),
    ...(filter.countries
      ? [
          Prisma.sql`${facility} IN (SELECT id::text FROM ${own.facilities} ${whereAll(isOneOf("country", "text", filter.countries))})`,
        ]
      : []),
  ];
  return Prisma.sql`SELECT recorded_on, ${facility} AS facility, ${category} AS category, scope, co2e_tonnes, record_count
    FROM ${own.emission_days} ${whereAll(conditions)}`;
}

/**
 * Returns a SELECT of daily sums whose day meets the condition `when`. Sums by both facility and category are stored by
 * month only, so their days come from the records, as do filters on individual records.
 */
function selectDays(when: Prisma.Sql, filter: RecordFilter, detail: Detail): Prisma.Sql {
  if (selectsSingleRecords(filter) || (detail.facility && detail.category)) {
    return Prisma.sql`SELECT recorded_on, coalesce(facility_id::text, '') AS facility, coalesce(category, '') AS category,
        scope, co2e_tonnes, 1 AS record_count
      FROM ${own.emission_records} ${whereAll([Prisma.sql`recorded_on ${when}`, ...recordConditions(filter)])}`;
  }
  const grain = detail.facility ? "facility" : detail.category ? "category" : "day";
  return selectStoredSums(grain, when, filter, detail);
}

const stepsOf = (range: DateRange | null, step: "1 day" | "1 month") =>
  Prisma.sql`SELECT generate_series(${range?.from ?? null}::date::timestamp, ${range?.to ?? null}::date::timestamp,
    ${Prisma.raw(`'${step}'`)}::interval)::date`;

/** Returns conditions for the first days of a range's whole months, and for the days of its partial months. */
function splitRange(range: DateRange) {
  const { before, months, after } = splitByMonths(range);
  return {
    ofMonths: Prisma.sql`= ANY(ARRAY(${stepsOf(months, "1 month")}))`,
    ofDays: Prisma.sql`= ANY(ARRAY(${stepsOf(before, "1 day")} UNION ALL ${stepsOf(after, "1 day")}))`,
  };
}

/**
 * Returns a SELECT of a range's sums: recorded_on (a day, or the first day of a whole month), facility, category,
 * scope, co2e_tonnes and record_count. It lists every day and month, so that each is one index lookup.
 */
function selectSums({ range, filter }: Summed, by?: SumDetail): Prisma.Sql {
  const detail = detailOf(filter, by);
  if (selectsSingleRecords(filter)) {
    return selectDays(Prisma.sql`BETWEEN ${range.from}::date AND ${range.to}::date`, filter, detail);
  }
  const { ofMonths, ofDays } = splitRange(range);
  const month = ["month", ...(detail.facility && detail.category ? ["cell"] : [])];
  if (detail.facility !== detail.category) month.push(detail.facility ? "facility" : "category");
  return Prisma.sql`${selectStoredSums(month.join("_"), ofMonths, filter, detail)}
    UNION ALL ${selectDays(ofDays, filter, detail)}`;
}

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
  const { ofMonths, ofDays } = splitRange(range);
  const filter: RecordFilter = { scopes: ["scope_2"] };
  const detail: Detail = { facility: false, category: false };
  const [row] = await tenant.query<MarketBased>(Prisma.sql`
    SELECT trim_scale(sum(co2e_tonnes))::text AS "co2eTonnesExact", sum(record_count)::bigint AS "recordCount" FROM (
      ${selectStoredSums("market_month", ofMonths, filter, detail)} UNION ALL ${selectStoredSums("market_day", ofDays, filter, detail)}
    ) AS sums ${HAS_RECORDS}`);
  return row ?? { co2eTonnesExact: null, recordCount: 0 };
}

const SELECTED = cte("sums");

export async function sumEmissions(tenant: TenantReader, summed: Summed): Promise<EmissionTotals> {
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
          SELECT recorded_on FROM (${selectDays(days, filter, detailOf(filter))}) AS days
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
  summed: Summed,
  step: TrendStep,
): Promise<PeriodAmount[]> {
  const rows = await tenant.query<SumRow & { start: IsoDate }>(Prisma.sql`
    SELECT ${startOf(step)}, ${SUMS} FROM ${fromSums(summed)} GROUP BY 1 ${HAS_RECORDS}`);
  return rows.map((row) => ({ ...amountByScope(row), start: row.start }));
}

/** Returns a FROM item for sums. */
export const fromSums = (summed: Summed): Prisma.Sql => Prisma.sql`(${selectSums(summed)}) AS sums`;

/** SQL for the part of a sum. A facility id may be empty, but has no colon. */
const PARTS: Readonly<Record<SumDetail, Prisma.Sql>> = {
  facility: Prisma.sql`facility`,
  category: Prisma.sql`category`,
  country: Prisma.sql`coalesce(country::text, '')`,
  facility_and_category: Prisma.sql`facility || ':' || category`,
};

/** Returns a FROM item for sums by part, limited to `parts` if given. */
export function fromParts(summed: Summed, by: SumDetail, parts?: readonly string[]): Prisma.Sql {
  const part = PARTS[by];
  const countries =
    by === "country" ? Prisma.sql`LEFT JOIN ${own.facilities} AS f ON f.id::text = facility` : Prisma.empty;
  return Prisma.sql`(
    SELECT ${part} AS part, recorded_on, scope, co2e_tonnes, record_count
    FROM (${selectSums(summed, by)}) AS sums ${countries} ${whereAll(isOneOf(part, "text", parts))}
  ) AS parts`;
}

/**
 * Sums emissions by part, largest first: the `limit` largest parts, the given parts, or all. Omits parts without
 * records.
 */
export async function sumByPart(
  tenant: TenantReader,
  summed: Summed,
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
export async function countParts(tenant: TenantReader, summed: Summed, by: Breakdown): Promise<number> {
  const [row] = await tenant.query<{ count: string }>(Prisma.sql`
    SELECT count(*)::text AS count FROM (SELECT part FROM ${fromParts(summed, by)} GROUP BY part ${HAS_RECORDS}) AS found`);
  return Number(row?.count);
}

/** Sums emissions of the given parts, or all, by calendar month, quarter or year. Omits periods without records. */
export async function sumPartsByPeriod(
  tenant: TenantReader,
  summed: Summed,
  by: Breakdown,
  { parts, step }: { readonly parts?: readonly string[]; readonly step: TrendStep },
): Promise<PartPeriodAmount[]> {
  const rows = await tenant.query<SumRow & { part: string; start: IsoDate }>(Prisma.sql`
    SELECT part, ${startOf(step)}, ${SUMS} FROM ${fromParts(summed, by, parts)} GROUP BY 1, 2 ${HAS_RECORDS}`);
  return rows.map((row) => ({ ...amountByScope(row), part: row.part || null, start: row.start }));
}
