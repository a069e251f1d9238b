import type { EmissionScope } from "../../domain/enums.js";
import type { ShareSpan } from "../../domain/inventory/shares.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { isOneOf, isWithin, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Selection of an inventory's records. */
interface IssuedRecords {
  readonly period: DateRange;
  readonly scopes: readonly EmissionScope[];
  /** Shares of entities' facilities. */
  readonly spans: readonly ShareSpan[];
}

/**
 * Returns a FROM item `s` of the months in which entities' facilities have a share above zero (`isCounted`), or zero.
 */
const spansOf = (spans: readonly ShareSpan[], isCounted: boolean) => {
  const wanted = spans.filter(({ share }) => (share !== "0") === isCounted);
  const of = (column: keyof ShareSpan) => wanted.map((span) => span[column]);
  return Prisma.sql`unnest(${of("entityId")}::text[]::uuid[], ${of("from")}::text[]::date[], ${of("to")}::text[]::date[])
    AS s (entity_id, from_month, to_month)`;
};

/** Number of records by publication, scope and gas of their factor. */
export interface UsedFactor {
  readonly source: string;
  readonly year: number;
  /** Scope of the records. */
  readonly scope: EmissionScope;
  /** `CO2e`, or the single gas that the factor covers. */
  readonly gas: string;
  readonly recordCount: number;
}

/** Counts the records within the boundary by their factor. Reads the records themselves. */
export const listUsedFactors = (
  tenant: TenantReader,
  { period, scopes, spans }: IssuedRecords,
): Promise<readonly UsedFactor[]> =>
  tenant.query<UsedFactor>(Prisma.sql`
    SELECT f.source, f.source_year AS year, used.scope::text AS scope, f.gas, sum(used.records)::int AS "recordCount"
    FROM (
      SELECT r.factor_id, r.scope, count(*) AS records FROM ${own.emission_records} AS r
      ${whereAll([
        ...isWithin("r.recorded_on", period),
        ...isOneOf("r.scope", "emission_scope", scopes),
        Prisma.sql`r.factor_id IS NOT NULL`,
        Prisma.sql`NOT EXISTS (SELECT FROM ${own.facilities} AS f JOIN ${spansOf(spans, false)} ON s.entity_id = f.entity_id
          WHERE f.id = r.facility_id AND pg_catalog.date_trunc('month', r.recorded_on::timestamp) BETWEEN s.from_month AND s.to_month)`,
      ])}
      GROUP BY r.factor_id, r.scope
    ) AS used JOIN ${own.emission_factors} AS f ON f.id = used.factor_id
    GROUP BY f.source, f.source_year, used.scope, f.gas ORDER BY f.source, f.source_year, used.scope, f.gas`);

/** Counts the facilities that have records within the boundary. */
export async function countBoundaryFacilities(
  tenant: TenantReader,
  { period, scopes, spans }: IssuedRecords,
): Promise<number> {
  const [row] = await tenant.query<{ count: number }>(Prisma.sql`
    SELECT count(*)::int AS count FROM (
      SELECT f.id FROM ${own.emission_days} AS d
        JOIN ${own.facilities} AS f ON f.id::text = d.part
        LEFT JOIN ${spansOf(spans, true)} ON s.entity_id = f.entity_id AND d.recorded_on BETWEEN s.from_month AND s.to_month
      ${whereAll([
        Prisma.sql`d.grain = 'month_cell'`,
        ...isWithin("d.recorded_on", period),
        ...isOneOf("d.scope", "emission_scope", scopes),
        Prisma.sql`(f.entity_id IS NULL OR s.entity_id IS NOT NULL)`,
      ])}
      GROUP BY f.id HAVING sum(d.record_count) <> 0
    ) AS facilities`);
  return row?.count ?? 0;
}

/** An entity as listed in an issue. */
export interface NamedEntity {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Code of the parent entity. */
  readonly parent: string | null;
}

/** Lists the entities by code. */
export const listNamedEntities = (tenant: TenantReader): Promise<readonly NamedEntity[]> =>
  tenant.query<NamedEntity>(Prisma.sql`
    SELECT e.id, e.code, e.name, p.code AS parent
    FROM ${own.entities} AS e LEFT JOIN ${own.entities} AS p ON p.id = e.parent_id ORDER BY e.code`);
