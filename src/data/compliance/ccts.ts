import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type KeysetOrder, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { STORED_PERIOD_COLUMNS, type StoredPeriod } from "./write-ccts.js";

/** A financial year of an obligated entity, with the certificates surrendered for it. Amounts are plain decimals. */
export interface PeriodRow extends StoredPeriod {
  readonly surrendered: string;
}

/** The columns of a PeriodRow, selected from periods `p`. */
export const PERIOD_COLUMNS = Prisma.sql`${Prisma.raw(STORED_PERIOD_COLUMNS)},
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
