import { type Facility, Prisma } from "../../generated/prisma/client.js";
import { contains, type RecordFilter } from "../emissions/records.js";
import { countRows, isOneOf, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export interface FacilityRow
  extends Readonly<
    Pick<Facility, "id" | "code" | "name" | "country" | "electricityMarket" | "archivedAt" | "version">
  > {
  /** Code of the entity that owns it; null for the organization itself. */
  readonly entity: string | null;
}

/** The columns of a FacilityRow, from a source with the entity's code as `entity`. */
export const FACILITY_COLUMNS = `id, code, name, country::text AS country, entity, electricity_market AS "electricityMarket",
  archived_at AS "archivedAt", version`;
const COLUMNS = Prisma.raw(FACILITY_COLUMNS);

/** Filter on facilities. The lists work as in RecordFilter. */
export interface FacilityFilter extends Pick<RecordFilter, "facilityIds" | "countries"> {
  /** Substring of the code and the name, joined by a space. */
  readonly search?: string | null | undefined;
  /** True to leave out archived facilities. */
  readonly areOpen?: boolean;
}

const facilityConditions = ({ facilityIds, countries, search, areOpen }: FacilityFilter) => [
  ...isOneOf("id", "uuid", facilityIds),
  ...isOneOf("country", "text", countries),
  ...contains("concat_ws(' ', code, name)", search),
  ...(areOpen ? [Prisma.sql`archived_at IS NULL`] : []),
];

/** Reads a page of facilities, by code. */
export function listFacilities(
  tenant: TenantReader,
  filter: FacilityFilter,
  page: PageRequest,
): Promise<Page<FacilityRow>> {
  const order = { columns: [["code", "text"]] as const, descending: false };
  const where = facilityConditions(filter);
  const query = { select: COLUMNS, from: own.facilities, where, order, isIndexed: true };
  return readPage<FacilityRow>(tenant, query, page);
}

/** Counts the matching facilities. */
export function countFacilities(tenant: TenantReader, filter: FacilityFilter): Promise<number> {
  return countRows(tenant, { from: own.facilities, where: facilityConditions(filter) });
}

/** Returns the only country of the facilities that are not archived; null if they have none, or more than one. */
export async function findOnlyCountry(tenant: TenantReader): Promise<string | null> {
  const rows = await tenant.query<{ country: string }>(Prisma.sql`
    SELECT DISTINCT country::text AS country FROM ${own.facilities}
    WHERE country IS NOT NULL AND archived_at IS NULL LIMIT 2`);
  return rows.length === 1 ? (rows[0]?.country ?? null) : null;
}

/** Finds facilities by id, unordered. Omits unknown ids. */
export function findFacilities(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly FacilityRow[]> {
  return tenant.query<FacilityRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.facilities} WHERE id = ANY(${[...ids]}::uuid[])`,
  );
}

/** Finds facilities by code, unordered. Omits unknown codes. */
export function findFacilitiesByCode(
  tenant: TenantReader,
  codes: readonly string[],
): Promise<readonly FacilityRow[]> {
  return tenant.query<FacilityRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.facilities} WHERE code = ANY(${[...codes]}::text[])`,
  );
}
