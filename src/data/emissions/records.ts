import type { EmissionRecordOrder, EmissionScope } from "../../domain/enums.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import { type EmissionRecord, type Facility, Prisma } from "../../generated/prisma/client.js";
import { countRows, isWithin, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export type FacilityRow = Readonly<Pick<Facility, "id" | "code" | "name" | "country">>;

export interface RecordRow
  extends Readonly<
    Pick<EmissionRecord, "id" | "reference" | "scope" | "facilityId" | "category" | "source">
  > {
  readonly recordedOn: IsoDate;
  /** Every digit of the amount, as a plain decimal. */
  readonly co2eTonnesExact: string;
}

/** Which records match: those that are in every list. A missing or null list does not restrict; an empty one matches nothing. */
export interface RecordFilter {
  readonly scopes?: readonly EmissionScope[] | null | undefined;
  readonly facilityIds?: readonly string[] | null | undefined;
  readonly countries?: readonly string[] | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
}

/** The condition that a column is one of `values`; no condition if they are null or undefined. */
export function isAmong(
  column: Prisma.Sql,
  type: string,
  values: readonly string[] | null | undefined,
): Prisma.Sql[] {
  // As text, because the drivers do not know arrays of the schema's enums.
  return values ? [Prisma.sql`${column} = ANY(${[...values]}::text[]::${Prisma.raw(type)}[])`] : [];
}

/** A filter as conditions on emission_records. */
export function recordConditions({ scopes, facilityIds, countries, categories }: RecordFilter): Prisma.Sql[] {
  const ofCountries = whereAll(isAmong(Prisma.sql`country`, "text", countries));
  return [
    ...isAmong(Prisma.sql`scope`, "emission_scope", scopes),
    ...isAmong(Prisma.sql`facility_id`, "uuid", facilityIds),
    ...isAmong(Prisma.sql`category`, "text", categories),
    ...(countries ? [Prisma.sql`facility_id IN (SELECT id FROM ${own.facilities} ${ofCountries})`] : []),
  ];
}

/** Which records to list, by day or by amount. */
export interface RecordList {
  readonly range: DateRange;
  readonly filter: RecordFilter;
  readonly by: EmissionRecordOrder;
  readonly descending: boolean;
}

/** A page of records. Ordered by amount, all that match are read and sorted. */
export function listRecords(
  tenant: TenantReader,
  list: RecordList,
  page: PageRequest,
): Promise<Page<RecordRow>> {
  const query = {
    select: Prisma.sql`id, reference, recorded_on::text AS "recordedOn", scope::text AS scope,
      trim_scale(co2e_tonnes)::text AS "co2eTonnesExact", facility_id AS "facilityId", category, source`,
    from: own.emission_records,
    where: [...isWithin("recorded_on", list.range), ...recordConditions(list.filter)],
    order: {
      columns: [
        list.by === "recorded_on"
          ? (["recorded_on", "date"] as const)
          : (["co2e_tonnes", "numeric"] as const),
        ["id", "uuid"] as const,
      ],
      descending: list.descending,
    },
    // No index is ordered by amount; and the index by facility may leave few rows to sort.
    isIndexed: list.by === "recorded_on" && !list.filter.facilityIds && !list.filter.countries,
  };
  return readPage<RecordRow>(tenant, query, page);
}

const FACILITY = Prisma.sql`id, code, name, country::text AS country`;

/** Which facilities match: those in both lists, as in RecordFilter. */
export type FacilityFilter = Pick<RecordFilter, "facilityIds" | "countries">;

const facilityConditions = ({ facilityIds, countries }: FacilityFilter) => [
  ...isAmong(Prisma.sql`id`, "uuid", facilityIds),
  ...isAmong(Prisma.sql`country`, "text", countries),
];

/** A page of facilities, by code. */
export function listFacilities(
  tenant: TenantReader,
  filter: FacilityFilter,
  page: PageRequest,
): Promise<Page<FacilityRow>> {
  const order = { columns: [["code", "text"]] as const, descending: false };
  const where = facilityConditions(filter);
  const query = { select: FACILITY, from: own.facilities, where, order, isIndexed: true };
  return readPage<FacilityRow>(tenant, query, page);
}

/** The number of facilities that match. */
export function countFacilities(tenant: TenantReader, filter: FacilityFilter): Promise<number> {
  return countRows(tenant, { from: own.facilities, where: facilityConditions(filter) });
}

/** The facilities with these ids, unordered; unknown ids are left out. */
export function findFacilities(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly FacilityRow[]> {
  return tenant.query<FacilityRow>(
    Prisma.sql`SELECT ${FACILITY} FROM ${own.facilities} WHERE id = ANY(${[...ids]}::uuid[])`,
  );
}

/** The facilities with these codes, unordered; unknown codes are left out. */
export function findFacilitiesByCode(
  tenant: TenantReader,
  codes: readonly string[],
): Promise<readonly FacilityRow[]> {
  return tenant.query<FacilityRow>(
    Prisma.sql`SELECT ${FACILITY} FROM ${own.facilities} WHERE code = ANY(${[...codes]}::text[])`,
  );
}
