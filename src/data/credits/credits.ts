import { type CreditBatch, Prisma } from "../../generated/prisma/client.js";
import { countRows, inAnyCase, isOneOf, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { cte, own } from "../tenant/sources.js";

/** Numbers of credits. One credit is a tonne of CO2 equivalent. */
export interface CreditBalance {
  readonly issued: number;
  readonly sold: number;
  readonly retired: number;
  readonly available: number;
}

/** Sums over batches. The database does not limit them to 2^53. */
export interface CreditGroup
  extends Readonly<Record<keyof CreditBalance, bigint> & Pick<CreditBatch, "creditType" | "vintage">> {
  readonly batchCount: number;
  readonly availableBatchCount: number;
}

export interface BatchRow
  extends CreditBalance,
    Readonly<Pick<CreditBatch, "id" | "reference" | "creditType" | "vintage">> {}

export interface BatchFilter {
  /** Case-insensitive. */
  readonly creditTypes?: readonly string[] | null | undefined;
  readonly vintages?: readonly number[] | null | undefined;
  readonly available?: boolean | null | undefined;
}

/** Sums all credits of the tenant by type and vintage, ordered by both. Credits without a vintage come last. */
export async function groupCredits(tenant: TenantReader): Promise<readonly CreditGroup[]> {
  const rows = await tenant.query<
    Omit<CreditGroup, keyof CreditBalance> & Record<keyof CreditBalance, string>
  >(
    Prisma.sql`
    SELECT credit_type AS "creditType", vintage, sum(quantity)::text AS issued, sum(sold)::text AS sold,
      sum(retired)::text AS retired, sum(available)::text AS available, count(*) AS "batchCount",
      count(*) FILTER (WHERE available > 0) AS "availableBatchCount"
    FROM ${own.credit_batches} GROUP BY credit_type, vintage ORDER BY credit_type, vintage NULLS LAST`,
  );
  return rows.map((row) => ({
    ...row,
    issued: BigInt(row.issued),
    sold: BigInt(row.sold),
    retired: BigInt(row.retired),
    available: BigInt(row.available),
  }));
}

export const BATCH_COLUMNS = Prisma.sql`id, reference, credit_type AS "creditType", vintage, quantity AS issued, sold, retired, available`;
const TYPES = cte("types");

/** Returns the condition that the type is one of `wanted`, ignoring case. Reads the index once per recorded type. */
export async function isOfType(
  tenant: TenantReader,
  wanted: readonly string[] | null | undefined,
): Promise<Prisma.Sql[]> {
  if (!wanted) return [];
  const recorded = await tenant.query<{ type: string }>(Prisma.sql`
    SELECT type FROM (
      WITH RECURSIVE ${TYPES} (type) AS (
        (SELECT credit_type FROM ${own.credit_batches} ORDER BY credit_type LIMIT 1)
        UNION ALL
        SELECT (SELECT credit_type FROM ${own.credit_batches} WHERE credit_type > type ORDER BY credit_type LIMIT 1)
        FROM ${TYPES} WHERE type IS NOT NULL
      )
      SELECT type FROM ${TYPES} WHERE type IS NOT NULL
    ) AS recorded`);
  return isOneOf(
    "credit_type",
    "text",
    inAnyCase(
      recorded.map(({ type }) => type),
      wanted,
    ),
  );
}

async function batchConditions(
  tenant: TenantReader,
  { creditTypes, vintages, available }: BatchFilter,
): Promise<Prisma.Sql[]> {
  return [
    ...(await isOfType(tenant, creditTypes)),
    ...isOneOf("vintage", "integer", vintages),
    ...(available == null ? [] : [available ? Prisma.sql`available > 0` : Prisma.sql`available = 0`]),
  ];
}

/** Reads a page of batches, by type, then reference. */
export async function listBatches(
  tenant: TenantReader,
  filter: BatchFilter,
  page: PageRequest,
): Promise<Page<BatchRow>> {
  const query = {
    select: BATCH_COLUMNS,
    from: own.credit_batches,
    where: await batchConditions(tenant, filter),
    order: {
      columns: [
        ["credit_type", "text"],
        ["reference", "text"],
      ] as const,
      descending: false,
    },
  };
  return readPage<BatchRow>(tenant, query, page);
}

/** Counts the batches that match. */
export async function countBatches(tenant: TenantReader, filter: BatchFilter): Promise<number> {
  return countRows(tenant, { from: own.credit_batches, where: await batchConditions(tenant, filter) });
}

/** Finds the batches with these ids, unordered. Unknown ids are left out. */
export function findBatches(tenant: TenantReader, ids: readonly string[]): Promise<readonly BatchRow[]> {
  return tenant.query<BatchRow>(
    Prisma.sql`SELECT ${BATCH_COLUMNS} FROM ${own.credit_batches} WHERE id = ANY(${[...ids]}::uuid[])`,
  );
}
