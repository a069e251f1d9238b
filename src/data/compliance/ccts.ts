import { type CctsPeriod, Prisma } from "../../generated/prisma/client.js";
import { countRows, type KeysetOrder, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A financial year of an obligated entity, with the certificates surrendered for it. Amounts are plain decimals. */
export interface PeriodRow
  extends Readonly<Pick<CctsPeriod, "id" | "entity" | "financialYear" | "targetSourceUrl" | "version">> {
  readonly targetGei: string;
  readonly achievedGei: string;
  readonly output: string;
  readonly averagePrice: string | null;
  readonly surrendered: string;
}

/** The columns of a PeriodRow, of periods `p`. */
export const PERIOD_COLUMNS = Prisma.sql`p.id, entity, financial_year AS "financialYear", trim_scale(target_gei)::text AS "targetGei",
  target_source_url AS "targetSourceUrl", trim_scale(achieved_gei)::text AS "achievedGei", trim_scale(output)::text AS output,
  trim_scale(average_price)::text AS "averagePrice", version,
  (SELECT coalesce(sum(r.quantity), 0)::text FROM ${own.credit_retirements} AS r WHERE r.ccts_period_id = p.id) AS surrendered`;
const PERIODS = Prisma.sql`${own.ccts_periods} AS p`;

/** Finds the periods with these ids, unordered. Unknown ids are left out. */
export function findPeriods(tenant: TenantReader, ids: readonly string[]): Promise<readonly PeriodRow[]> {
  return tenant.query<PeriodRow>(
    Prisma.sql`SELECT ${PERIOD_COLUMNS} FROM ${PERIODS} WHERE p.id = ANY(${[...ids]}::uuid[])`,
  );
}

const BY_ENTITY: KeysetOrder = {
  columns: [
    ["entity", "text"],
    ["financial_year", "text"],
  ],
  descending: false,
};

/** Reads a page of periods, by entity, then year. */
export function listPeriods(tenant: TenantReader, page: PageRequest): Promise<Page<PeriodRow>> {
  return readPage<PeriodRow>(
    tenant,
    { select: PERIOD_COLUMNS, from: PERIODS, where: [], order: BY_ENTITY },
    page,
  );
}

/** Counts periods. */
export const countPeriods = (tenant: TenantReader): Promise<number> =>
  countRows(tenant, { from: PERIODS, where: [] });
