import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Place } from "../../domain/fair-line.js";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import type { Prisma } from "../../generated/prisma/client.js";
import type { InTime, RequestTime } from "../../time-limit.js";
import { createPace, type Pace } from "../../turns.js";
import type { Cache } from "../cache/cache.js";
import type { Basis } from "../cache/entries.js";
import type { Database, ReadServer, Snapshot, SqlSession } from "../database/types.js";
import { listSources } from "./check-select.js";
import { findSource } from "./sources.js";

/** A caller's view of the database. Requests read only through it. */
export interface TenantReader {
  readonly organizationId: string;
  /** Basis of all reads so far. */
  readonly basis: Basis;
  /** Runs one SELECT that reads from sources in `own` and `mine`. Throws if it names any other table or view. */
  query<Row>(select: Prisma.Sql): Promise<readonly Row[]>;
  /** Runs work within the request's time limit. */
  readonly inTime: InTime;
  /** Place of the request's work among that which waits for turns. */
  readonly place: Place;
  /** Pace of the request's computations. A transaction has none: others wait for its locks. */
  readonly pace?: Pace;
  /** Notes that the request read rows of a table without this reader. */
  noteRead(table: string): void;
  /** Limits the validity of the reads to a time. */
  noteValidUntil(time: Date): void;
}

/** Rows by statement and values. All readers share the rows, so callers must not modify them. */
export type RowCache = Cache<readonly object[]>;

/** Returns the approximate size of rows in bytes. */
export function sizeOfRows(rows: readonly object[]): number {
  let size = 0;
  for (const row of rows) {
    size += 24;
    for (const value of Object.values(row)) size += 24 + (typeof value === "string" ? sizeOfText(value) : 0);
  }
  return size;
}

interface ReaderOptions {
  /** User whose rows `mine` contains; null for an API key or a service account. */
  readonly userId?: string | null;
  /** Without a cache, the database answers every statement; with one, it answers those that read live sources. */
  readonly cache?: RowCache | undefined;
}

/**
 * Creates a reader, which confines a tenant to its rows, and a user to theirs. Statements that exceed the request's
 * time limit fail with an AppError.
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
  // Reads `time.inTime` on each call, because the time limit may be renewed.
  const inTime: InTime = (work) => time.inTime(work);
  const place = { owner: organizationId, request: time.place?.request ?? "" };
  return {
    organizationId,
    basis,
    pace: createPace({ inTime, place }),
    query<Row>({ text, values }: Prisma.Sql) {
      const statement = statements.memo(text);
      for (const table of statement.tables) tables.add(table);
      const read = () =>
        inTime((msLeft) =>
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
    inTime,
    place,
    noteRead: (table) => void tables.add(table),
    noteValidUntil(time) {
      basis.until = Math.min(basis.until, time.getTime());
    },
  };
}

/**
 * Creates a function that chooses the server for each statement of a request. A replica may answer statements whose
 * tables announce changes. So that reads never go back in time, a request does not switch to another replica, which may
 * be behind, but to the primary.
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
 * Creates a reader of an organization's rows in a transaction, which sees its own writes. Runs one statement at a time,
 * and caches nothing. `mine` has no rows.
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
    place: { owner: organizationId, request: "" },
    noteRead: () => undefined,
    noteValidUntil: () => undefined,
  };
}

/** Streams any number of an organization's rows from a snapshot. All columns of the SELECT must be text. */
export function streamAsTenant(
  snapshot: Snapshot,
  organizationId: string,
  { text, values }: Prisma.Sql,
): AsyncGenerator<readonly (string | null)[][]> {
  const caller = { $organization: organizationId, $user: null };
  return snapshot.stream(...bind(statements.memo(text), values, caller));
}

/** Placeholders for the caller's ids in the definitions of sources. */
const IDS = ["$organization", "$user"] as const;

interface Statement {
  readonly id: string;
  readonly text: string;
  /** The ids that are bound as its last parameters. */
  readonly ids: readonly (typeof IDS)[number][];
  readonly tables: ReadonlySet<string>;
  readonly isCached: boolean;
}

/** Returns a statement's text and its values, followed by the caller's ids. */
const bind = (
  { text, ids }: Statement,
  values: readonly unknown[],
  caller: Readonly<Record<(typeof IDS)[number], string | null>>,
): [text: string, values: unknown[]] => [text, [...values, ...ids.map((id) => caller[id])]];

/** Statements by SELECT. There are few, but nothing else limits their number. */
const statements = new LRUCache<string, Statement>({ max: 10_000, memoMethod: buildStatement });

/** Prefixes a SELECT with CTEs that define its sources. PostgreSQL inlines them. */
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
