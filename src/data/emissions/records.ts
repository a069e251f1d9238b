import type { EmissionRecordOrder, EmissionScope } from "../../domain/enums.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import {
  countRows,
  isOneOf,
  isWithin,
  type Page,
  type PageRequest,
  readPage,
  whereAll,
} from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own, ownRecordsByGrams } from "../tenant/sources.js";
import { RECORD_COLUMNS, type RecordRow } from "./record-rows.js";

/** Filter on records, which must match every list. A missing or null list matches all records; an empty one, none. */
export interface RecordFilter {
  readonly scopes?: readonly EmissionScope[] | null | undefined;
  readonly facilityIds?: readonly string[] | null | undefined;
  readonly countries?: readonly string[] | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
  readonly references?: readonly string[] | null | undefined;
  readonly recordIds?: readonly string[] | null | undefined;
}

/** Returns true if a filter selects individual records, for which no stored sums exist. */
export const selectsSingleRecords = ({ references, recordIds }: RecordFilter): boolean =>
  Boolean(references || recordIds);

/** Returns a filter as conditions on emission_records. */
export function recordConditions({
  scopes,
  facilityIds,
  countries,
  categories,
  references,
  recordIds,
}: RecordFilter): Prisma.Sql[] {
  const ofCountries = whereAll(isOneOf("country", "text", countries));
  return [
    ...isOneOf("scope", "emission_scope", scopes),
    ...isOneOf("facility_id", "uuid", facilityIds),
    ...isOneOf("category", "text", categories),
    ...isOneOf("reference", "text", references),
    ...isOneOf("id", "uuid", recordIds),
    ...(countries ? [Prisma.sql`facility_id IN (SELECT id FROM ${own.facilities} ${ofCountries})`] : []),
  ];
}

export interface RecordSearch {
  /** Null for any day. */
  readonly range: DateRange | null;
  readonly filter: RecordFilter;
  /** Substring of the record's texts, joined by spaces; null for no search. */
  readonly search?: string | null;
}

/** Returns a search as conditions on emission_records. */
export const searchConditions = ({ range, filter, search }: RecordSearch) => [
  ...isWithin("recorded_on", range),
  ...recordConditions(filter),
  ...containsText(search),
];

const containsText = (search: RecordSearch["search"]) =>
  contains("concat_ws(' ', reference, category, source, note)", search);

/** Maximum number of trigrams to look up. The condition on the text then filters the records found. */
const MAX_GRAMS = 20;

/**
 * Returns the query for the trigram index. It finds every record that contains `search`, every record with long texts,
 * and few others.
 */
function gramsOf(organizationId: string, search: string): string {
  const characters = [...search.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())];
  const count = Math.max(1, Math.min(characters.length - 2, MAX_GRAMS));
  const grams = Array.from({ length: count }, (_, place) => characters.slice(place, place + 3).join(""));
  const organization = organizationId.slice(0, 8);
  const quote = (gram: string) => `'${(organization + gram).replace(/['\\]/g, "$&$&")}'`;
  const all = [...new Set(grams)].map(quote).join(" & ");
  return `${all}${characters.length < 3 ? ":*" : ""} | '${organization}'`;
}

/**
 * Returns the FROM item for the records of a search, unordered, by the best index for its conditions. A search by text
 * also returns records that do not match, so repeat the conditions.
 */
export const searched = (
  tenant: Pick<TenantReader, "organizationId">,
  { range, filter, search }: RecordSearch,
): Prisma.Sql =>
  search
    ? Prisma.sql`(
        SELECT * FROM ${ownRecordsByGrams}
        WHERE emission_record_grams(organization_id, reference, category, source, note)
          @@ ${gramsOf(tenant.organizationId, search)}::tsquery
        OFFSET 0
      ) AS searched`
    : Prisma.sql`(
        SELECT * FROM ${own.emission_records}
        ${whereAll([...isWithin("recorded_on", range), ...recordConditions(filter)])} OFFSET 0
      ) AS searched`;

/** Returns the condition that a text contains `search`, ignoring the case of A to Z; no condition if it is empty. */
export function contains(text: string, search: string | null | undefined): Prisma.Sql[] {
  return search
    ? [Prisma.sql`position(lower(${search}::text COLLATE "C") IN lower(${Prisma.raw(text)} COLLATE "C")) > 0`]
    : [];
}

/** Records to list, ordered by day or by amount. */
export interface RecordList extends RecordSearch {
  readonly by: EmissionRecordOrder;
  readonly descending: boolean;
}

const RECORD = Prisma.raw(RECORD_COLUMNS);

/** Maximum number of records to scan by day before using an index for the conditions. The scan takes about 30 ms. */
const MAX_SCANNED = 10_000;

/** Reads a page of records. If ordered by amount, it reads and sorts all matching records. */
export async function listRecords(
  tenant: TenantReader,
  list: RecordList,
  page: PageRequest,
): Promise<Page<RecordRow>> {
  const { range, filter, search } = list;
  const isByDay = list.by === "recorded_on";
  const query = {
    select: RECORD,
    order: {
      columns: [
        isByDay ? (["recorded_on", "date"] as const) : (["co2e_tonnes", "numeric"] as const),
        ["id", "uuid"] as const,
      ],
      descending: list.descending,
    },
  };
  const wanted = [...recordConditions(filter), ...containsText(search)];
  // A scan in order finds common values quickly; an index finds rare ones.
  if (isByDay && !selectsSingleRecords(filter)) {
    const days = isWithin("recorded_on", range);
    const byDay = { ...query, from: own.emission_records, where: days, isIndexed: true };
    if (wanted.length === 0) return readPage<RecordRow>(tenant, byDay, page);
    const near = await readPage<RecordRow>(
      tenant,
      { ...byDay, nearest: { max: MAX_SCANNED, where: wanted } },
      page,
    );
    if (near.rows.length === page.size && (page.fromEnd ? near.hasPreviousPage : near.hasNextPage))
      return near;
  }
  const from = searched(tenant, list);
  return readPage<RecordRow>(tenant, { ...query, from, where: searchConditions(list) }, page);
}

/** Counts the matching records. Reads all of them. */
export function countRecords(tenant: TenantReader, wanted: RecordSearch): Promise<number> {
  return countRows(tenant, { from: searched(tenant, wanted), where: searchConditions(wanted) });
}

/** Finds the record with this id; null if it does not exist. */
export async function findRecord(tenant: TenantReader, id: string): Promise<RecordRow | null> {
  const [record] = await tenant.query<RecordRow>(
    Prisma.sql`SELECT ${RECORD} FROM ${own.emission_records} WHERE id = ${id}::uuid`,
  );
  return record ?? null;
}
