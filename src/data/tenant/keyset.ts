import { FRAMEWORKS } from "../../domain/enums.js";
import { MOST_PAGE_SIZE } from "../../domain/page.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { isIsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "./reader.js";

/** Columns that are unique together among a tenant's rows, and the direction of all of them. */
export interface KeysetOrder {
  readonly columns: readonly KeysetColumn[];
  readonly descending: boolean;
}

/** Returns the order of rows by their creation, then by an id. */
export const oldestFirst = (createdAt: string, id: string): KeysetOrder => ({
  // As seconds, whose text is the same in every time zone. (EXTRACT(epoch FROM …) is refused in a tenant's statement.)
  columns: [
    [`pg_catalog.extract('epoch', ${createdAt})`, "numeric"],
    [id, "uuid"],
  ],
  descending: false,
});

/** Returns the same order, latest first. */
export const newestFirst = (createdAt: string, id: string): KeysetOrder => ({
  ...oldestFirst(createdAt, id),
  descending: true,
});

/** Name and PostgreSQL type of a column without nulls. */
export type KeysetColumn = readonly [name: string, type: keyof typeof FITS];

/** Checks that a string is a value of a type as PostgreSQL writes it. */
const FITS = {
  bigint: (text: string) => /^\d{1,18}$/.test(text),
  date: isIsoDate,
  uuid: (text: string) => isUuid(text) && text === text.toLowerCase(),
  numeric: (text: string) => /^\d{1,18}\.\d{6}$/.test(text),
  text: (text: string) => !text.includes("\0"),
  framework: (text: string) => FRAMEWORKS.some((known) => known === text),
} as const;

/** The position of a row in an order: its columns as text. */
export type Key = readonly string[];

/** A page of an order, between two positions that are not part of it. */
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

/** Error for a position that no row of the order can have. A client that knows the format of cursors can invent any. */
export class ImpossiblePlace extends Error {
  readonly end: "after" | "before";

  constructor(end: "after" | "before") {
    super(`the position "${end}" does not belong to this order`);
    this.name = "ImpossiblePlace";
    this.end = end;
  }
}

function requirePossible(end: "after" | "before", key: Key | null, columns: readonly KeysetColumn[]): void {
  if (key === null) return;
  const fits = columns.every(([, type], index) => FITS[type](key[index] ?? "\0"));
  if (!fits || key.length !== columns.length) throw new ImpossiblePlace(end);
}

export interface PageQuery {
  readonly select: Prisma.Sql;
  readonly from: Prisma.Sql;
  /** Conditions that all must hold. */
  readonly where: readonly Prisma.Sql[];
  readonly order: KeysetOrder;
  /**
   * True if an index has this order. Rows are then always read through it and never sorted, even if PostgreSQL's
   * statistics are missing or wrong, as after a large import.
   */
  readonly isIndexed?: boolean;
  /**
   * Looks for rows only among the first `most` ones of the order: the page has those that also meet `where`. If it is
   * not full, there may be others beyond.
   */
  readonly nearest?: { readonly most: number; readonly where: readonly Prisma.Sql[] };
}

/**
 * A join with one row, where PostgreSQL expects 1,000. To the planner, sorting then looks expensive and stopping at the
 * limit cheap, so it reads just the rows of the page, in the order of the index.
 */
export const IN_INDEX_ORDER = Prisma.sql`CROSS JOIN string_to_table('1', ',')`;
/** A constant, as the planner does not know the size of the page. */
const MOST_ROWS = Prisma.raw(String(MOST_PAGE_SIZE + 1));

/**
 * Reads a page by position instead of by offset, so that rows added or removed in the meantime neither repeat nor hide
 * others. One statement reads one row more than requested, which shows whether the list continues. Throws
 * ImpossiblePlace.
 */
export async function readPage<Row extends object>(
  tenant: Pick<TenantReader, "query">,
  { select, from, where, order, isIndexed = false, nearest }: PageQuery,
  { size, fromEnd, after, before }: PageRequest,
): Promise<Page<Row>> {
  requirePossible("after", after, order.columns);
  requirePossible("before", before, order.columns);
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
    ? Prisma.sql`(SELECT * FROM ${matching} ${inOrder} LIMIT ${nearest.most}) AS nearest ${whereAll(nearest.where)}`
    : matching;
  // As JSON, since only a few of the keys are ever used.
  const found = await tenant.query<Row & { pageKey: string }>(Prisma.sql`
    SELECT * FROM (
      SELECT ${select}, to_json(ARRAY[${Prisma.join(names.map((name) => Prisma.sql`${name}::text`))}])::text AS "pageKey"
      FROM ${rowsOfPage} ${inOrder} LIMIT ${MOST_ROWS}
    ) AS page LIMIT ${size + 1}`);

  const goesOn = found.length > size;
  const rows = found.slice(0, size);
  if (fromEnd) rows.reverse();
  return {
    rows,
    keyAt: (index) => JSON.parse((rows[index] as Row & { pageKey: string }).pageKey),
    hasNextPage: fromEnd ? before !== null : goesOn,
    hasPreviousPage: fromEnd ? goesOn : after !== null,
  };
}

/** Counts the rows of a list in one statement. */
export async function countRows(
  tenant: Pick<TenantReader, "query">,
  { from, where }: Pick<PageQuery, "from" | "where">,
): Promise<number> {
  const [row] = await tenant.query<{ count: number }>(
    Prisma.sql`SELECT count(*) AS count FROM ${from} ${whereAll(where)}`,
  );
  return row?.count ?? 0;
}

/** Returns a WHERE clause with all these conditions; empty without any. */
export function whereAll(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}`;
}

/**
 * Returns the recorded texts that equal a wanted one in any case. Not in SQL, as the columns' collation only knows the
 * lower case of ASCII letters.
 */
export function inAnyCase(recorded: readonly string[], wanted: readonly string[]): string[] {
  const lowerCased = new Set(wanted.map((text) => text.toLowerCase()));
  return [...new Set(recorded)].filter((text) => lowerCased.has(text.toLowerCase()));
}

/**
 * Returns the condition that a column is one of `values`; no condition without a list. An empty list matches nothing.
 */
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
