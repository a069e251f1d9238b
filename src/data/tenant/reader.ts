import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import type { Prisma } from "../../generated/prisma/client.js";
import type { InTime, RequestTime } from "../../time-limit.js";
import type { Cache } from "../cache/cache.js";
import type { Basis } from "../cache/entries.js";
import type { Database } from "../database/types.js";
import { listSources } from "./check-select.js";
import { defineSource, findSource, type SourceTable, UNANNOUNCED } from "./sources.js";

/** One tenant's view of the database: all that code outside data/ can read with. */
export interface TenantReader {
  readonly organizationId: string;
  /** What has been read so far. */
  readonly basis: Basis;
  /** Runs one SELECT that reads from the sources in `own`. Throws if it names any other table or view. */
  query<Row>(select: Prisma.Sql): Promise<readonly Row[]>;
  /** Waits for work of the request, within its time. */
  readonly inTime: InTime;
  /** Says that what was read is valid only until then. */
  holdsUntil(time: Date): void;
}

/** Rows by statement and values. They are shared by all readers and must not be changed. */
export type RowCache = Cache<readonly object[]>;

/** Approximate size of rows in bytes: an object each, and its values. */
export function sizeOfRows(rows: readonly object[]): number {
  let size = 0;
  for (const row of rows) {
    size += 24;
    for (const value of Object.values(row)) size += 24 + (typeof value === "string" ? sizeOfText(value) : 0);
  }
  return size;
}

/**
 * THE place that keeps a tenant to its rows. Statements run within the request's time; those that take longer fail with
 * an AppError. Without `cache` every statement goes to the database,
 * and with it those that read what is not announced.
 */
export function readAsTenant(
  database: Database,
  organizationId: string,
  time: RequestTime,
  cache?: RowCache,
): TenantReader {
  const tables = new Set<string>();
  const basis = { tables, until: Number.POSITIVE_INFINITY };
  return {
    organizationId,
    basis,
    query<Row>({ text, values }: Prisma.Sql) {
      const statement = statements.memo(text);
      for (const table of statement.tables) tables.add(table);
      const read = () =>
        time.inTime((msLeft) =>
          database.select<Row & object>(statement.text, [...values, organizationId], {
            ownerId: organizationId,
            msLeft,
          }),
        );
      if (!cache || !statement.isAnnounced) return read();
      const key = [organizationId, statement.id, JSON.stringify(values)].join(" ");
      const ownBasis = { organizationId, tables: statement.tables, until: Number.POSITIVE_INFINITY };
      const found = cache.getOrCompute(key, organizationId, time, async () => ({
        value: await read(),
        basis: ownBasis,
      }));
      return Promise.resolve(found) as Promise<readonly Row[]>;
    },
    // Looked up at each call: the time of a request is renewed.
    inTime: (work) => time.inTime(work),
    holdsUntil(time) {
      basis.until = Math.min(basis.until, time.getTime());
    },
  };
}

interface Statement {
  readonly id: string;
  readonly text: string;
  readonly tables: ReadonlySet<SourceTable>;
  /** Whether the database announces every change of what it reads. */
  readonly isAnnounced: boolean;
}

/** Statements by the text of their SELECT. There are few, but nothing limits their number. */
const statements = new LRUCache<string, Statement>({ max: 10_000, memoMethod: buildStatement });

/** A SELECT with the CTEs that define its sources; the organization's id is its last parameter. */
function buildStatement(select: string): Statement {
  const sources = [...listSources(select)];
  const tables = new Set(sources.flatMap((source) => findSource(source) ?? []));
  const numbers = [...select.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const organization = `$${Math.max(0, ...numbers) + 1}::uuid`;
  const definitions = sources.map((source) => defineSource(source, organization));
  const isAnnounced = ![...tables].some((table) => UNANNOUNCED.has(table));
  return { id: hash("sha1", select), text: `WITH ${definitions.join(", ")} ${select}`, tables, isAnnounced };
}
