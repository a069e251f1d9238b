import { EMISSION_SCOPES, type EmissionScope } from "../domain/enums.js";
import type { DateRange, IsoDate, TrendStep } from "../domain/window.js";
import { Prisma } from "../generated/prisma/client.js";
import { countRows, isOneOf, isWithin, type Page, type PageRequest, readPage } from "./keyset.js";
import type { TenantReader } from "./tenant.js";

/** Tonnes of CO2 equivalent, summed exactly in the database: as a float, and as text with every digit. */
export interface Amount {
  readonly co2eTonnes: number;
  readonly co2eTonnesExact: string;
  readonly recordCount: number;
}

export interface ScopeAmount extends Amount {
  readonly scope: EmissionScope;
}

export interface AmountByScope extends Amount {
  /** Always the three scopes, in order. */
  readonly byScope: readonly ScopeAmount[];
}

export interface EmissionTotals extends AmountByScope {
  readonly latestRecord: IsoDate | null;
}

export interface CategoryAmount extends Amount {
  readonly category: string | null;
}

export interface PeriodAmount extends AmountByScope {
  /** First day of the calendar month or quarter. */
  readonly start: IsoDate;
}

export interface FacilityAmount extends AmountByScope {
  /** Null for records that name no facility. */
  readonly facilityId: string | null;
}

export interface FacilityRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly country: string;
}

export interface RecordRow {
  readonly id: string;
  readonly reference: string | null;
  readonly recordedOn: IsoDate;
  readonly scope: EmissionScope;
  readonly co2eTonnesExact: string;
  readonly facilityId: string | null;
  readonly category: string | null;
  readonly source: string | null;
}

export interface RecordFilter {
  readonly scopes?: readonly EmissionScope[] | null | undefined;
  readonly facilityIds?: readonly string[] | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
}

type SumColumn = "total" | EmissionScope;
type SumRow = Record<SumColumn, string> & Record<`${SumColumn}_count`, number>;

const sums = (column: SumColumn, filter: Prisma.Sql) => {
  const name = Prisma.raw(column);
  return Prisma.sql`trim_scale(coalesce(sum(co2e_tonnes) ${filter}, 0))::text AS ${name},
    coalesce(sum(record_count) ${filter}, 0)::bigint AS ${Prisma.raw(`${column}_count`)}`;
};

/** What every sum selects: all scopes together, and each. */
const SUMS = Prisma.join([
  sums("total", Prisma.empty),
  ...EMISSION_SCOPES.map((scope) =>
    sums(scope, Prisma.sql`FILTER (WHERE scope = ${Prisma.raw(`'${scope}'`)})`),
  ),
]);

/**
 * The table of the sums by day, which the database keeps, and its WHERE: those of a range. `part` is a facility or a
 * category where they are by such; `more` begins with AND.
 */
const days = (
  grain: "day" | "facility" | "category",
  { from, to }: DateRange,
  more = Prisma.empty,
) => Prisma.sql`
  emission_days
  WHERE grain = ${Prisma.raw(`'${grain}'`)} AND recorded_on BETWEEN ${from}::date AND ${to}::date ${more}`;

/** A day and its parts may have several rows, and those of records that are gone come to none. */
const HAS_RECORDS = Prisma.sql`HAVING sum(record_count) > 0`;

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

/** What was emitted in a range, in all. */
export async function sumEmissions(tenant: TenantReader, range: DateRange): Promise<EmissionTotals> {
  // The column is qualified in ORDER BY: its bare name would be that of the text, in whose order no index is.
  const [row] = await tenant.query<SumRow & { latest: IsoDate | null }>(Prisma.sql`
    SELECT ${SUMS}, (
      SELECT recorded_on::text FROM ${days("day", range)}
      GROUP BY emission_days.recorded_on ${HAS_RECORDS} ORDER BY emission_days.recorded_on DESC LIMIT 1
    ) AS latest
    FROM ${days("day", range)}`);
  return { ...amountByScope(row), latestRecord: row?.latest ?? null };
}

/** The same by calendar month or quarter; those without records are left out. */
export async function sumByPeriod(
  tenant: TenantReader,
  range: DateRange,
  step: TrendStep,
): Promise<PeriodAmount[]> {
  const rows = await tenant.query<SumRow & { start: IsoDate }>(Prisma.sql`
    SELECT date_trunc(${step}, recorded_on::timestamp)::date::text AS start, ${SUMS}
    FROM ${days("day", range)} GROUP BY 1 ${HAS_RECORDS}`);
  return rows.map((row) => ({ ...amountByScope(row), start: row.start }));
}

/** The facilities that emitted most, largest first; then by id. */
export async function sumByFacility(
  tenant: TenantReader,
  range: DateRange,
  limit: number,
): Promise<FacilityAmount[]> {
  const rows = await tenant.query<SumRow & { facilityId: string | null }>(Prisma.sql`
    SELECT nullif(part, '') AS "facilityId", ${SUMS} FROM ${days("facility", range)}
    GROUP BY part ${HAS_RECORDS} ORDER BY sum(co2e_tonnes) DESC, part LIMIT ${limit}`);
  return rows.map((row) => ({ ...amountByScope(row), facilityId: row.facilityId }));
}

/** What each of these facilities emitted; those without records are left out. */
export async function sumOfFacilities(
  tenant: TenantReader,
  range: DateRange,
  facilityIds: readonly string[],
): Promise<FacilityAmount[]> {
  const ofThem = Prisma.sql`AND part = ANY(${[...facilityIds]}::text[])`;
  const rows = await tenant.query<SumRow & { facilityId: string }>(Prisma.sql`
    SELECT part AS "facilityId", ${SUMS} FROM ${days("facility", range, ofThem)} GROUP BY part ${HAS_RECORDS}`);
  return rows.map((row) => ({ ...amountByScope(row), facilityId: row.facilityId }));
}

/** The categories that emitted most, largest first; then by name. */
export async function sumByCategory(
  tenant: TenantReader,
  range: DateRange,
  limit: number,
): Promise<CategoryAmount[]> {
  const rows = await tenant.query<SumRow & { category: string | null }>(Prisma.sql`
    SELECT nullif(part, '') AS category, ${SUMS} FROM ${days("category", range)}
    GROUP BY part ${HAS_RECORDS} ORDER BY sum(co2e_tonnes) DESC, part LIMIT ${limit}`);
  return rows.map((row) => ({ ...amountOf(row, "total"), category: row.category }));
}

const RECORDS = Prisma.sql`emission_records`;

const recordConditions = (range: DateRange, { scopes, facilityIds, categories }: RecordFilter) => [
  ...isWithin("recorded_on", range),
  ...isOneOf("scope", "emission_scope", scopes),
  ...isOneOf("facility_id", "uuid", facilityIds),
  ...isOneOf("category", "text", categories),
];

/** A page of a range's records, by day. */
export function listRecords(
  tenant: TenantReader,
  list: { range: DateRange; filter: RecordFilter; descending: boolean },
  page: PageRequest,
): Promise<Page<RecordRow>> {
  const query = {
    select: Prisma.sql`id, reference, recorded_on::text AS "recordedOn", scope::text AS scope,
      trim_scale(co2e_tonnes)::text AS "co2eTonnesExact", facility_id AS "facilityId", category, source`,
    from: RECORDS,
    where: recordConditions(list.range, list.filter),
    order: {
      columns: [
        ["recorded_on", "date"],
        ["id", "uuid"],
      ] as const,
      descending: list.descending,
    },
  };
  return readPage<RecordRow>(tenant, query, page);
}

export function countRecords(tenant: TenantReader, range: DateRange, filter: RecordFilter): Promise<number> {
  return countRows(tenant, { from: RECORDS, where: recordConditions(range, filter) });
}

const FACILITY = Prisma.sql`id, code, name, country::text AS country`;
const FACILITIES = Prisma.sql`facilities`;

/** A page of the facilities, by code. */
export function listFacilities(tenant: TenantReader, page: PageRequest): Promise<Page<FacilityRow>> {
  const order = { columns: [["code", "text"]] as const, descending: false };
  return readPage<FacilityRow>(tenant, { select: FACILITY, from: FACILITIES, where: [], order }, page);
}

export function countFacilities(tenant: TenantReader): Promise<number> {
  return countRows(tenant, { from: FACILITIES, where: [] });
}

/** The facilities with these ids, in no order; unknown ids are left out. */
export function findFacilities(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly FacilityRow[]> {
  return tenant.query<FacilityRow>(
    Prisma.sql`SELECT ${FACILITY} FROM facilities WHERE id = ANY(${[...ids]}::uuid[])`,
  );
}
