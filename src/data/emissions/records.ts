import type { EmissionRecordOrder, EmissionScope } from "../../domain/enums.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, isWithin, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { RECORD_COLUMNS, type RecordRow } from "./record-rows.js";

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

/** Which records are looked for. */
export interface RecordSearch {
  /** Null for all days. */
  readonly range: DateRange | null;
  readonly filter: RecordFilter;
  /** Part of a text of the record; null for any. */
  readonly search?: string | null;
}

/** A search as conditions on emission_records. */
export const searchConditions = ({ range, filter, search }: RecordSearch) => [
  ...isWithin("recorded_on", range),
  ...recordConditions(filter),
  ...contains("concat_ws(' ', reference, category, source, note)", search),
];

/** The condition that a text contains another, in any case of A to Z; no condition without one. */
export function contains(text: string, search: string | null | undefined): Prisma.Sql[] {
  return search
    ? [Prisma.sql`position(lower(${search}::text COLLATE "C") IN lower(${Prisma.raw(text)} COLLATE "C")) > 0`]
    : [];
}

/** Which records to list, by day or by amount. */
export interface RecordList extends RecordSearch {
  readonly by: EmissionRecordOrder;
  readonly descending: boolean;
}

const RECORD = Prisma.raw(RECORD_COLUMNS);

/** A page of records. Ordered by amount, all that match are read and sorted. */
export function listRecords(
  tenant: TenantReader,
  list: RecordList,
  page: PageRequest,
): Promise<Page<RecordRow>> {
  const query = {
    select: RECORD,
    from: own.emission_records,
    where: searchConditions(list),
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

/** The number of records that match, which are all read. */
export function countRecords(tenant: TenantReader, wanted: RecordSearch): Promise<number> {
  return countRows(tenant, { from: own.emission_records, where: searchConditions(wanted) });
}

/** The record with this id; null if there is none. */
export async function findRecord(tenant: TenantReader, id: string): Promise<RecordRow | null> {
  const [record] = await tenant.query<RecordRow>(
    Prisma.sql`SELECT ${RECORD} FROM ${own.emission_records} WHERE id = ${id}::uuid`,
  );
  return record ?? null;
}
