import type { DateRange, IsoDate } from "../../domain/window.js";
import { type CreditRetirement, type CreditSale, Prisma } from "../../generated/prisma/client.js";
import {
  countRows,
  isOneOf,
  isWithin,
  type KeysetOrder,
  type Page,
  type PageRequest,
  readPage,
} from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { isOfType } from "./credits.js";

export interface SaleRow
  extends Readonly<Pick<CreditSale, "id" | "batchId" | "reference" | "buyer" | "currency">> {
  readonly quantity: number;
  readonly soldOn: IsoDate | null;
  /** Price of one credit: as a float, and as text with every digit. */
  readonly price: number | null;
  readonly priceExact: string | null;
}

export interface RetirementRow
  extends Readonly<
    Pick<CreditRetirement, "id" | "batchId" | "reference" | "beneficiary" | "purpose" | "cctsPeriodId">
  > {
  readonly quantity: number;
  readonly retiredOn: IsoDate;
}

/** Filter on sales or retirements. */
export interface MovementFilter {
  readonly batchIds?: readonly string[] | null | undefined;
  /** Case-insensitive. */
  readonly creditTypes?: readonly string[] | null | undefined;
  /** Date range of the sale or retirement. */
  readonly days?: DateRange | null | undefined;
  /** First and last day. Either may be omitted. */
  readonly from?: IsoDate | null;
  readonly to?: IsoDate | null;
}

export const SALE_COLUMNS = Prisma.sql`id, batch_id AS "batchId", reference, quantity, sold_on::text AS "soldOn", buyer, price::float8 AS price,
  trim_scale(price)::text AS "priceExact", currency`;
export const RETIREMENT_COLUMNS = Prisma.sql`id, batch_id AS "batchId", reference, quantity, retired_on::text AS "retiredOn", beneficiary, purpose,
  ccts_period_id AS "cctsPeriodId"`;

/** Lists at most `limit` sales for each of several batches, by reference; in one statement. */
export function listSalesOfBatches(
  tenant: TenantReader,
  batchIds: readonly string[],
  limit: number,
): Promise<readonly SaleRow[]> {
  return tenant.query<SaleRow>(Prisma.sql`
    SELECT ${SALE_COLUMNS}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY batch_id ORDER BY reference) AS place
      FROM ${own.credit_sales} WHERE batch_id = ANY(${[...batchIds]}::uuid[])
    ) AS ranked
    WHERE place <= ${limit} ORDER BY batch_id, place`);
}

/** Lists at most `limit` retirements for each of several batches, latest first; in one statement. */
export function listRetirementsOfBatches(
  tenant: TenantReader,
  batchIds: readonly string[],
  limit: number,
): Promise<readonly RetirementRow[]> {
  return tenant.query<RetirementRow>(Prisma.sql`
    SELECT ${RETIREMENT_COLUMNS}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY batch_id ORDER BY retired_on DESC, reference DESC) AS place
      FROM ${own.credit_retirements} WHERE batch_id = ANY(${[...batchIds]}::uuid[])
    ) AS ranked
    WHERE place <= ${limit} ORDER BY batch_id, place`);
}

/** Finds the sales with these ids, unordered. Unknown ids are left out. */
export function findSales(tenant: TenantReader, ids: readonly string[]): Promise<readonly SaleRow[]> {
  return tenant.query<SaleRow>(
    Prisma.sql`SELECT ${SALE_COLUMNS} FROM ${own.credit_sales} WHERE id = ANY(${[...ids]}::uuid[])`,
  );
}

/** Finds the retirements with these ids, unordered. Unknown ids are left out. */
export function findRetirements(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly RetirementRow[]> {
  return tenant.query<RetirementRow>(
    Prisma.sql`SELECT ${RETIREMENT_COLUMNS} FROM ${own.credit_retirements} WHERE id = ANY(${[...ids]}::uuid[])`,
  );
}

async function conditions(
  tenant: TenantReader,
  dayColumn: "sold_on" | "retired_on",
  { batchIds, creditTypes, days, from, to }: MovementFilter,
): Promise<Prisma.Sql[]> {
  const ofTypes = await isOfType(tenant, creditTypes);
  return [
    ...isOneOf("batch_id", "uuid", batchIds),
    ...isWithin(dayColumn, days),
    ...(from ? [Prisma.sql`${Prisma.raw(dayColumn)} >= ${from}::date`] : []),
    ...(to ? [Prisma.sql`${Prisma.raw(dayColumn)} <= ${to}::date`] : []),
    ...ofTypes.map(
      (ofType) => Prisma.sql`batch_id IN (SELECT id FROM ${own.credit_batches} WHERE ${ofType})`,
    ),
  ];
}

/** Latest first. Sales without a day, from bundles, come last. */
const LATEST_SALES: KeysetOrder = {
  columns: [
    ["coalesce(sold_on, '0001-01-01')", "date"],
    ["reference", "text"],
    ["id", "uuid"],
  ],
  descending: true,
};
const LATEST_RETIREMENTS: KeysetOrder = {
  columns: [
    ["retired_on", "date"],
    ["reference", "text"],
  ],
  descending: true,
};

/** Reads a page of sales, by day, then reference, both descending. */
export async function listSales(
  tenant: TenantReader,
  filter: MovementFilter,
  page: PageRequest,
): Promise<Page<SaleRow>> {
  const where = await conditions(tenant, "sold_on", filter);
  return readPage(tenant, { select: SALE_COLUMNS, from: own.credit_sales, where, order: LATEST_SALES }, page);
}

/** Counts the sales that match. */
export async function countSales(tenant: TenantReader, filter: MovementFilter): Promise<number> {
  return countRows(tenant, { from: own.credit_sales, where: await conditions(tenant, "sold_on", filter) });
}

/** Reads a page of retirements, by day, then reference, both descending. */
export async function listRetirements(
  tenant: TenantReader,
  filter: MovementFilter,
  page: PageRequest,
): Promise<Page<RetirementRow>> {
  const where = await conditions(tenant, "retired_on", filter);
  const query = {
    select: RETIREMENT_COLUMNS,
    from: own.credit_retirements,
    where,
    order: LATEST_RETIREMENTS,
  };
  return readPage(tenant, query, page);
}

/** Counts the retirements that match. */
export async function countRetirements(tenant: TenantReader, filter: MovementFilter): Promise<number> {
  const where = await conditions(tenant, "retired_on", filter);
  return countRows(tenant, { from: own.credit_retirements, where });
}
