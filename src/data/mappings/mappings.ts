import { foldText } from "../../domain/texts/fold.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An organization's choice of emission factor for a text in its files. */
export interface MappingRow {
  readonly id: string;
  readonly text: string;
  readonly unit: string;
  /** The unit that amounts are read in, if `unit` is ambiguous. */
  readonly unitAs: string | null;
  /** Region code; null for all regions. */
  readonly region: string | null;
  readonly factorId: string;
  readonly fixedYear: boolean;
  readonly version: number;
  readonly createdBy: string | null;
  readonly updatedAt: Date;
}

/** The columns of a MappingRow, from mappings `m`. */
export const MAPPING_COLUMNS = `m.id, m.text, m.unit, m.unit_as AS "unitAs", nullif(m.region, '') AS region, m.factor_id AS "factorId",
  m.fixed_year AS "fixedYear", m.version, m.created_by AS "createdBy", m.updated_at AS "updatedAt"`;

const listed = (search: string | null | undefined) => ({
  from: Prisma.sql`${own.activity_mappings} AS m`,
  where: search ? [Prisma.sql`position(${foldText(search)}::text IN text_key) > 0`] : [],
});

/** Reads a page of the mappings whose text contains `search`, ignoring case, accents and extra spaces, by text. */
export function listMappings(
  tenant: TenantReader,
  search: string | null | undefined,
  page: PageRequest,
): Promise<Page<MappingRow>> {
  const columns = [
    ["m.text_key", "text"] as const,
    ["m.unit_key", "text"] as const,
    ["m.id", "uuid"] as const,
  ];
  const order = { columns, descending: false };
  return readPage(tenant, { select: Prisma.raw(MAPPING_COLUMNS), ...listed(search), order }, page);
}

export const countMappings = (tenant: TenantReader, search: string | null | undefined): Promise<number> =>
  countRows(tenant, listed(search));

export async function findMapping(tenant: TenantReader, id: string): Promise<MappingRow | null> {
  const [row] = await tenant.query<MappingRow>(
    Prisma.sql`SELECT ${Prisma.raw(MAPPING_COLUMNS)} FROM ${own.activity_mappings} AS m WHERE id = ${id}::uuid`,
  );
  return row ?? null;
}

/** Counts the records calculated with each mapping. Omits mappings without records. */
export function countRecordsOfMappings(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly count: number }[]> {
  return tenant.query(Prisma.sql`
    SELECT calculation ->> 'mappingId' AS id, count(*) AS count FROM ${own.emission_records}
    WHERE calculation ->> 'mappingId' = ANY(${ids}::text[]) GROUP BY 1`);
}
