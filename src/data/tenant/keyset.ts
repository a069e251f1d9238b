import { FRAMEWORKS } from "../../domain/enums.js";
import { MAX_PAGE_SIZE } from "../../domain/page.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { isIsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "./reader.js";

/** Columns that together are unique among a tenant's rows, and their common direction. */
export interface KeysetOrder {
  readonly columns: readonly KeysetColumn[];
  readonly descending: boolean;
}

/** Returns the order by creation time, then by id. */
export const oldestFirst = (createdAt: string, id: string): KeysetOrder => ({
  // In seconds, whose text does not depend on the time zone. (A tenant's statement cannot use EXTRACT(epoch FROM …).)
  columns: [
    [`pg_catalog.extract('epoch', ${createdAt})`, "numeric"],
    [id, "uuid"],
  ],
  descending: false,
});

/** Returns the order by creation time, latest first. */
export const newestFirst = (createdAt: string, id: string): KeysetOrder => ({
  ...oldestFirst(createdAt, id),
  descending: true,
});

/** Name and PostgreSQL type of a column without nulls. */
export type KeysetColumn = readonly [name: string, type: keyof typeof FITS];

/** Checks, by type, that a string is a value as PostgreSQL formats it. */
const FITS = {
  bigint: (text: string) => /^\d{1,18}$/.test(text),
  date: isIsoDate,
  uuid: (text: string) => isUuid(text) && text === text.toLowerCase(),
  numeric: (text: string) => /^\d{1,18}\.\d{6}$/.test(text),
  text: (text: string) => !text.includes("\0"),
  framework: (text: string) => FRAMEWORKS.some((known) => known === text),
} as const;

/** Position of a row in an order: its key columns as text. */
export type Key = readonly string[];

/** A page of an order, between two exclusive positions. */
export interface PageRequest {
  readonly size: number;
  /** True for the last rows instead of the first. */
  readonly fromEnd: boolean;
  readonly after: Key | null;
  readonly before: Key | null;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Returns the position of the row with this index. */
  readonly keyAt: (index: number) => Key;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Error for a position that no row of the order can have. Clients can forge cursors with any position. */
export class InvalidPosition extends Error {
  readonly end: "after" | "before";

  constructor(end: "after" | "before") {
    super(`the position "${end}" does not belong to this order`);
    this.name = "InvalidPosition";
    this.end = end;
  }
}

function requireValid(end: "after" | "before", key: Key | null, columns: readonly KeysetColumn[]): void {
  if (key === null) return;
  const fits = columns.every(([, type], index) => FITS[type](key[index] ?? "\0"));
  if (!fits || key.length !== columns.length) throw new InvalidPosition(end);
}

export interface PageQuery {
  readonly select: Prisma.Sql;
  readonly from: Prisma.Sql;
  /** Conditions to combine with AND. */
  readonly where: readonly Prisma.Sql[];
  readonly order: KeysetOrder;
  /**
   * True if an index has this order. PostgreSQL then always reads through the index and never sorts, even if its
   * statistics are missing or wrong, as after a large import.
   */
  readonly isIndexed?: boolean;
  /**
   * Limits the search to the first `max` rows of the order, of which the page holds those that also meet `where`. If
   * the page is not full, there may be more rows further on.
   */
  readonly nearest?: { readonly max: number; readonly where: readonly Prisma.Sql[] };
}

/**
 * A join with one row where PostgreSQL expects 1,000. Sorting then looks expensive to the planner, and stopping at the
 * limit cheap, so it reads only the rows of the page in index order.
 */
export const IN_INDEX_ORDER = Prisma.sql`CROSS JOIN string_to_table('1', ',')`;
/** A constant limit, because the planner does not know a parameter's value. */
const MAX_ROWS = Prisma.raw(String(MAX_PAGE_SIZE + 1));

/**
 * Reads a page by position instead of offset, so that rows added or removed between pages do not repeat or skip others.
 * Reads one extra row to find out whether the list continues. Throws InvalidPosition.
 */
export async function readPage<Row extends object>(
  tenant: Pick<TenantReader, "query">,
  { select, from, where, order, isIndexed = false, nearest }: PageQuery,
  { size, fromEnd, after, before }: PageRequest,
): Promise<Page<Row>> {
  requireValid("after", after, order.columns);
  requireValid("before", before, order.columns);
  const names = order.columns.map(([name]) => Prisma.raw(name));
  const descending = order.descending !== fromEnd;
  const place = (key: Key) =>
    Prisma.join(order.columns.map(([, type], index) => Prisma.sql`${key[index]}::${Prisma.raw(type)}`));
  const beyond = (key: Key, isLater: boolean) =>
    Prisma.sql`(${Prisma.join(names)}) ${Prisma.raw(isLater === order.descending ? "<" : ">")} (${place(key)})`;
  const conditions = [
    ...where,
    ...(after ? [beyond(after, true)] : []),
    ...(before ? [beyond(before, false)] : []),
  ];
  const direction = Prisma.raw(descending ? "DESC" : "ASC");
  const inOrder = Prisma.sql`ORDER BY ${Prisma.join(names.map((name) => Prisma.sql`${name} ${direction}`))}`;
  const matching = Prisma.sql`${from} ${isIndexed ? IN_INDEX_ORDER : Prisma.empty} ${whereAll(conditions)}`;
  const rowsOfPage = nearest
    ? Prisma.sql`(SELECT * FROM ${matching} ${inOrder} LIMIT ${nearest.max}) AS nearest ${whereAll(nearest.where)}`
    : matching;
  // As JSON, which is rarely parsed: few keys are ever used.
  const found = await tenant.query<Row & { pageKey: string }>(Prisma.sql`
    SELECT * FROM (
      SELECT ${select}, to_json(ARRAY[${Prisma.join(names.map((name) => Prisma.sql`${name}::text`))}])::text AS "pageKey"
      FROM ${rowsOfPage} ${inOrder} LIMIT ${MAX_ROWS}
    ) AS page LIMIT ${size + 1}`);

  const hasMore = found.length > size;
  const rows = found.slice(0, size);
  if (fromEnd) rows.reverse();
  return {
    rows,
    keyAt: (index) => JSON.parse((rows[index] as Row & { pageKey: string }).pageKey),
    hasNextPage: fromEnd ? before !== null : hasMore,
    hasPreviousPage: fromEnd ? hasMore : after !== null,
  };
}

/** Counts the rows of a list. */
export async function countRows(
  tenant: Pick<TenantReader, "query">,
  { from, where }: Pick<PageQuery, "from" | "where">,
): Promise<number> {
  const [row] = await tenant.query<{ count: number }>(
    Prisma.sql`SELECT count(*) AS count FROM ${from} ${whereAll(where)}`,
  );
  return row?.count ?? 0;
}

/** Returns a WHERE clause that combines the conditions with AND; empty without conditions. */
export function whereAll(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}`;
}

/**
 * Returns the recorded strings that equal a wanted one, ignoring case. SQL cannot do this, since the columns' collation
 * lowercases only ASCII letters.
 */
export function inAnyCase(recorded: readonly string[], wanted: readonly string[]): string[] {
  const lowerCased = new Set(wanted.map((text) => text.toLowerCase()));
  return [...new Set(recorded)].filter((text) => lowerCased.has(text.toLowerCase()));
}

/** Returns the condition that a column is one of `values`; no condition without a list. */
export function isOneOf(
  column: string | Prisma.Sql,
  type: string,
  values: readonly unknown[] | null | undefined,
): Prisma.Sql[] {
  if (!values) return [];
  // As text, because the drivers do not support arrays of the schema's enums.
  const name = typeof column === "string" ? Prisma.raw(column) : column;
  return [Prisma.sql`${name} = ANY(${values.map(String)}::text[]::${Prisma.raw(type)}[])`];
}

/** Returns the condition that a date is in a range; no condition without a range. */
export function isWithin(
  column: string,
  range: { from: string; to: string } | null | undefined,
): Prisma.Sql[] {
  if (!range) return [];
  return [Prisma.sql`${Prisma.raw(column)} BETWEEN ${range.from}::date AND ${range.to}::date`];
}
