import { FRAMEWORKS } from "../../domain/enums.js";
import { MOST_PAGE_SIZE } from "../../domain/page.js";
import { isUuid } from "../../domain/uuid.js";
import { isIsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "./reader.js";

/** Columns that together are unique among a tenant's rows, and the direction in which all of them are read. */
export interface KeysetOrder {
  readonly columns: readonly KeysetColumn[];
  readonly descending: boolean;
}

/** A column's name and PostgreSQL type. It must not be null. */
export type KeysetColumn = readonly [name: string, type: keyof typeof FITS];

/** Whether PostgreSQL can read a text as a value of a type. */
const FITS = {
  date: isIsoDate,
  // As the database writes them.
  uuid: (text: string) => isUuid(text) && text === text.toLowerCase(),
  numeric: (text: string) => /^\d{1,18}\.\d{6}$/.test(text),
  text: (text: string) => !text.includes("\0"),
  framework: (text: string) => FRAMEWORKS.some((known) => known === text),
} as const;

/** The place of a row in an order: its columns as text. */
export type Key = readonly string[];

/** A page of an order, between two places that are not part of it. */
export interface PageRequest {
  readonly size: number;
  /** The last rows instead of the first. */
  readonly fromEnd: boolean;
  readonly after: Key | null;
  readonly before: Key | null;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The place of the row that has this index. */
  readonly keyAt: (index: number) => Key;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** A place that no row of the order can have: whoever knows how cursors are made can make one of anything. */
export class ImpossiblePlace extends Error {
  readonly end: "after" | "before";

  constructor(end: "after" | "before") {
    super(`the place of ${end} is none of this order`);
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
  /** All of these hold; none, and every row of the tenant counts. */
  readonly where: readonly Prisma.Sql[];
  readonly order: KeysetOrder;
  /**
   * Whether an index has the tenant's rows in this order. They are then read through it and never sorted, whatever
   * PostgreSQL's statistics say: after a large import these may be missing or wrong.
   */
  readonly isIndexed?: boolean;
}

/**
 * A join with one row, of which PostgreSQL expects 1,000. Sorting the expected rows then seems dear to it, and stopping
 * early at the limit cheap: so it reads as many rows as the page has, in the order of the index.
 */
const IN_INDEX_ORDER = Prisma.sql`CROSS JOIN string_to_table('1', ',')`;
/** Known when the statement is planned, as the size of the page is not. */
const MOST_ROWS = Prisma.raw(String(MOST_PAGE_SIZE + 1));

/**
 * Reads a page by its place and not by a count of rows, so that rows which are added or removed meanwhile neither
 * repeat nor hide others. One statement; one row more than asked for tells whether the list goes on. Throws
 * ImpossiblePlace.
 */
export async function readPage<Row extends object>(
  tenant: TenantReader,
  { select, from, where, order, isIndexed = false }: PageQuery,
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
  // As JSON, since few of the keys are ever read.
  const found = await tenant.query<Row & { pageKey: string }>(Prisma.sql`
    SELECT * FROM (
      SELECT ${select}, to_json(ARRAY[${Prisma.join(names.map((name) => Prisma.sql`${name}::text`))}])::text AS "pageKey"
      FROM ${from} ${isIndexed ? IN_INDEX_ORDER : Prisma.empty} ${whereAll(conditions)}
      ORDER BY ${Prisma.join(names.map((name) => Prisma.sql`${name} ${Prisma.raw(descending ? "DESC" : "ASC")}`))}
      LIMIT ${MOST_ROWS}
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

/** Counts the rows of a list; one statement. */
export async function countRows(
  tenant: TenantReader,
  { from, where }: Pick<PageQuery, "from" | "where">,
): Promise<number> {
  const [row] = await tenant.query<{ count: number }>(
    Prisma.sql`SELECT count(*) AS count FROM ${from} ${whereAll(where)}`,
  );
  return row?.count ?? 0;
}

export function whereAll(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}`;
}

/**
 * Of the texts that are recorded, those that equal a wanted one in upper or lower case. Here, because the database's
 * lower case depends on its collation, and that of the columns knows ASCII alone.
 */
export function inAnyCase(recorded: readonly string[], wanted: readonly string[]): string[] {
  const lowerCased = new Set(wanted.map((text) => text.toLowerCase()));
  return [...new Set(recorded)].filter((text) => lowerCased.has(text.toLowerCase()));
}

/** A condition that a column is one of `values`, which none is of an empty list; no condition if there is no list. */
export function isOneOf(
  column: string,
  type: string,
  values: readonly unknown[] | null | undefined,
): Prisma.Sql[] {
  if (!values) return [];
  // As text: the drivers do not know arrays of the schema's own types.
  return [Prisma.sql`${Prisma.raw(column)} = ANY(${values.map(String)}::text[]::${Prisma.raw(type)}[])`];
}

/** A condition that a date lies in a range; none where there is no range. */
export function isWithin(
  column: string,
  range: { from: string; to: string } | null | undefined,
): Prisma.Sql[] {
  if (!range) return [];
  return [Prisma.sql`${Prisma.raw(column)} BETWEEN ${range.from}::date AND ${range.to}::date`];
}
