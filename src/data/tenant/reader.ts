import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import type { Prisma } from "../../generated/prisma/client.js";
import type { InTime, RequestTime } from "../../time-limit.js";
import type { Cache } from "../cache/cache.js";
import type { Basis } from "../cache/entries.js";
import type { Database, ReadServer, Snapshot, SqlSession } from "../database/types.js";
import { listSources } from "./check-select.js";
import { findSource } from "./sources.js";

/** One caller's view of the database. A request reads only through it. */
export interface TenantReader {
  readonly organizationId: string;
  /** The basis of all reads so far. */
  readonly basis: Basis;
  /** Runs one SELECT that reads from the sources in `own` and `mine`. Throws if it names any other table or view. */
  query<Row>(select: Prisma.Sql): Promise<readonly Row[]>;
  /** Waits for work of the request, within its time. */
  readonly inTime: InTime;
  /** Records that rows of a table were read without a statement of this reader. */
  notesRead(table: string): void;
  /** Limits the validity of what was read to a time. */
  holdsUntil(time: Date): void;
}

/** Rows by statement and values. All readers share them, so they must not be changed. */
export type RowCache = Cache<readonly object[]>;

/** Returns the approximate size of rows in bytes: an object each, and its values. */
export function sizeOfRows(rows: readonly object[]): number {
  let size = 0;
  for (const row of rows) {
    size += 24;
    for (const value of Object.values(row)) size += 24 + (typeof value === "string" ? sizeOfText(value) : 0);
  }
  return size;
}

interface ReaderOptions {
  /** The user whose rows `mine` has; null for an API key. */
  readonly userId?: string | null;
  /** Without one, every statement goes to the database. With one, so do those that read from live sources. */
  readonly cache?: RowCache | undefined;
}

/**
 * THE place that keeps a tenant to its rows, and a user to theirs. Statements run within the request's time. Those that
 * take longer fail with an AppError.
 */
export function readAsTenant(
  database: Database,
  organizationId: string,
  time: RequestTime,
  { userId = null, cache }: ReaderOptions = {},
): TenantReader {
  const caller = { $organization: organizationId, $user: userId };
  const tables = new Set<string>();
  const basis = { tables, until: Number.POSITIVE_INFINITY };
  const serverFor = createServerChoice(database, organizationId);
  return {
    organizationId,
    basis,
    query<Row>({ text, values }: Prisma.Sql) {
      const statement = statements.memo(text);
      for (const table of statement.tables) tables.add(table);
      const read = () =>
        time.inTime((msLeft) =>
          serverFor(statement).select<Row & object>(...bind(statement, values, caller), {
            ownerId: organizationId,
            msLeft,
          }),
        );
      if (!cache || !statement.isCached) return read();
      const key = [organizationId, statement.id, JSON.stringify(values)].join(" ");
      const ownBasis = { organizationId, tables: statement.tables, until: Number.POSITIVE_INFINITY };
      const found = cache.getOrCompute(key, organizationId, time, async () => ({
        value: await read(),
        basis: ownBasis,
      }));
      return Promise.resolve(found) as Promise<readonly Row[]>;
    },
    // Looked up at each call, since the time of a request is renewed.
    inTime: (work) => time.inTime(work),
    notesRead: (table) => void tables.add(table),
    holdsUntil(time) {
      basis.until = Math.min(basis.until, time.getTime());
    },
  };
}

/**
 * Creates the choice of the server for each statement of a request. A replica may answer those whose changes are
 * announced. A request that has read from one server does not read from another that may be behind it, but from the
 * primary.
 */
function createServerChoice(database: Database, organizationId: string) {
  /** Null before the first statement; undefined for the primary. */
  let replica: ReadServer | null | undefined = database.replicas ? null : undefined;
  return ({ isCached }: Statement): Pick<Database, "select"> => {
    if (replica === null && isCached) replica = database.replicas?.choose(organizationId);
    else if (!isCached || !replica?.isFresh(organizationId)) replica = undefined;
    return replica ?? database;
  };
}

/**
 * Reads an organization's rows in a transaction, which sees its own writes, one statement at a time. Caches nothing. `mine`
 * has no rows.
 */
export function readInTransaction(sql: Pick<SqlSession, "query">, organizationId: string): TenantReader {
  const caller = { $organization: organizationId, $user: null };
  let last: Promise<unknown> = Promise.resolve();
  return {
    organizationId,
    basis: { tables: new Set(), until: Number.POSITIVE_INFINITY },
    query<Row>({ text, values }: Prisma.Sql) {
      const found = last.then(() => sql.query<Row>(...bind(statements.memo(text), values, caller)));
      last = found.catch(() => undefined);
      return found;
    },
    inTime: async (work) => work(Number.POSITIVE_INFINITY),
    notesRead: () => undefined,
    holdsUntil: () => undefined,
  };
}

/** Reads an organization's rows in a snapshot: of any number, through a cursor. The SELECT has texts as its columns. */
export function streamAsTenant(
  snapshot: Snapshot,
  organizationId: string,
  { text, values }: Prisma.Sql,
): AsyncGenerator<readonly (string | null)[][]> {
  const caller = { $organization: organizationId, $user: null };
  return snapshot.stream(...bind(statements.memo(text), values, caller));
}

/** Placeholders for the ids of the caller in the definitions of sources. */
const IDS = ["$organization", "$user"] as const;

interface Statement {
  readonly id: string;
  readonly text: string;
  /** The ids that are its last parameters. */
  readonly ids: readonly (typeof IDS)[number][];
  readonly tables: ReadonlySet<string>;
  readonly isCached: boolean;
}

/** Returns the text of a statement and its values, with the ids of the caller as the last ones. */
const bind = (
  { text, ids }: Statement,
  values: readonly unknown[],
  caller: Readonly<Record<(typeof IDS)[number], string | null>>,
): [text: string, values: unknown[]] => [text, [...values, ...ids.map((id) => caller[id])]];

/** Statements by the text of their SELECT. There are few, but nothing limits their number. */
const statements = new LRUCache<string, Statement>({ max: 10_000, memoMethod: buildStatement });

/** Builds a SELECT with the CTEs that define its sources. PostgreSQL inlines them. */
function buildStatement(select: string): Statement {
  const names = [...listSources(select)];
  const sources = names.flatMap((name) => findSource(name) ?? []);
  const definitions = sources.map(({ rows }, index) => `${names[index]} AS NOT MATERIALIZED (${rows})`);
  const sql = definitions.join(", ");
  const ids = IDS.filter((id) => sql.includes(id));
  const last = Math.max(0, ...[...select.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const bound = ids.reduce((text, id, index) => text.replaceAll(id, `$$${last + index + 1}::uuid`), sql);
  return {
    id: hash("sha1", select),
    text: `WITH ${bound} ${select}`,
    ids,
    tables: new Set(sources.map(({ table }) => table)),
    isCached: sources.every(({ isCached }) => isCached),
  };
}
