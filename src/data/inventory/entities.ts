import type { FinancialControl } from "../../domain/inventory/inventory.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A holding that applies from a month on. */
export interface HoldingRow {
  /** `YYYY-MM`. */
  readonly from: string;
  /** Share held by the parent, or by the organization: a plain decimal from 0 to 1. */
  readonly equityShareExact: string;
  readonly financialControl: FinancialControl;
  readonly operationalControl: boolean;
}

export interface EntityRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly country: string | null;
  /** Code of the parent entity; null for the organization itself. */
  readonly parent: string | null;
  /** Earliest first. */
  readonly holdings: readonly HoldingRow[];
  readonly version: number;
}

/** Returns the columns of an EntityRow, from entities `e`, their parents `p` and the table of holdings. */
export const entityColumns = (
  holdings: string,
): string => `e.id, e.code, e.name, e.country::text AS country, p.code AS parent,
  e.version, coalesce((SELECT json_agg(json_build_object('from', to_char(h.from_month, 'YYYY-MM'),
    'equityShareExact', trim_scale(h.equity_share)::text, 'financialControl', h.financial_control,
    'operationalControl', h.operational_control) ORDER BY h.from_month)
  FROM ${holdings} AS h WHERE h.organization_id = e.organization_id AND h.entity_id = e.id), '[]') AS holdings`;

const ENTITIES = Prisma.sql`${own.entities} AS e LEFT JOIN ${own.entities} AS p ON p.id = e.parent_id`;

/** Reads a page of entities, by code. */
export function listEntities(tenant: TenantReader, page: PageRequest): Promise<Page<EntityRow>> {
  const order = { columns: [["e.code", "text"]] as const, descending: false };
  const select = Prisma.raw(entityColumns(own.entity_holdings.sql));
  return readPage<EntityRow>(tenant, { select, from: ENTITIES, where: [], order, isIndexed: true }, page);
}

export const countEntities = (tenant: TenantReader): Promise<number> =>
  countRows(tenant, { from: own.entities, where: [] });

/** Counts the facilities of each entity. Omits entities without facilities. */
export function countFacilitiesOf(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly count: number }[]> {
  return tenant.query(Prisma.sql`
    SELECT entity_id AS id, count(*)::int AS count FROM ${own.facilities}
    WHERE entity_id = ANY(${[...ids]}::uuid[]) GROUP BY 1`);
}
