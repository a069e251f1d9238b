import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Prisma } from "../../generated/prisma/client.js";
import { type Memory, sizeOfText } from "../cache/cache.js";
import type { RequestTime } from "../database/time-limit.js";
import type { Database } from "../database/types.js";

/**
 * Which rows of a table a tenant may read. `own`: its own; `own and shared`: those and the ones of nobody;
 * `shared`: all, they are reference data; `hidden`: none. A new model does not compile until it has its line.
 */
const VISIBILITY: Record<
  Prisma.ModelName,
  readonly [table: string, rows: "own" | "own and shared" | "shared" | "hidden"]
> = {
  Organization: ["organizations", "hidden"],
  ApiKey: ["api_keys", "hidden"],
  KeyEvent: ["key_events", "hidden"],
  Facility: ["facilities", "own"],
  EmissionRecord: ["emission_records", "own"],
  EmissionDay: ["emission_days", "own"],
  Import: ["imports", "hidden"],
  ReplacedRecord: ["replaced_records", "hidden"],
  ComplianceStatus: ["compliance_statuses", "own"],
  ComplianceDeadline: ["compliance_deadlines", "own"],
  CreditBatch: ["credit_batches", "own"],
  CreditSale: ["credit_sales", "own"],
  CreditRetirement: ["credit_retirements", "own"],
  Benchmark: ["benchmarks", "shared"],
  MarketPrice: ["market_prices", "own and shared"],
  ExchangeFeed: ["exchange_feeds", "shared"],
};

/** Every table, by the name of its model. */
export const TABLES = Object.fromEntries(
  Object.entries(VISIBILITY).map(([model, [table]]) => [model, table]),
) as Readonly<Record<Prisma.ModelName, string>>;

/** What answers rest upon that were read through a tenant's reader. */
export interface Basis {
  readonly tables: ReadonlySet<string>;
  /** When they stop being true by themselves, in milliseconds since 1970; infinity where only a change ends them. */
  readonly until: number;
}

/** All that code above this folder's nouns can read with: one tenant's view of the database. */
export interface TenantReader {
  readonly organizationId: string;
  /** What has been read so far. */
  readonly basis: Basis;
  /** Runs one SELECT, in which each table's name means the tenant's rows of it. It begins with SELECT. */
  query<Row>(select: Prisma.Sql): Promise<readonly Row[]>;
  /** Says that what was read is true until then only. */
  holdsUntil(time: Date): void;
}

/** The rows of statements that were read before; whoever is given them changes none. */
export type RowMemory = Memory<readonly object[]>;

/** Bytes that rows take, roughly: an object for each, and what hangs on it. */
export function sizeOfRows(rows: readonly object[]): number {
  let size = 0;
  for (const row of rows) {
    size += 24;
    for (const value of Object.values(row)) size += 24 + (typeof value === "string" ? sizeOfText(value) : 0);
  }
  return size;
}

/**
 * THE place where a tenant is kept to its rows. It reads in its request's time: what is still being read when that is up
 * is given up with an AppError, and a server's limit on statements ends it there. Without `memory` every statement goes
 * to the database.
 */
export function readAsTenant(
  database: Database,
  organizationId: string,
  time: RequestTime,
  memory?: RowMemory,
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
            name: organizationId,
            msLeft,
          }),
        );
      if (!memory) return read();
      const name = [organizationId, statement.id, JSON.stringify(values)].join(" ");
      const ownBasis = { organizationId, tables: statement.tables, until: Number.POSITIVE_INFINITY };
      const found = memory.recall(name, organizationId, time, async () => ({
        value: await read(),
        basis: ownBasis,
      }));
      return Promise.resolve(found) as Promise<readonly Row[]>;
    },
    holdsUntil(time) {
      basis.until = Math.min(basis.until, time.getTime());
    },
  };
}

interface Statement {
  readonly id: string;
  readonly text: string;
  readonly tables: ReadonlySet<string>;
}

/** Restricted statements by their texts, which are few, but nobody has counted them. */
const statements = new LRUCache<string, Statement>({ max: 10_000, memoMethod: restrict });

/** `select` with each table's name given the meaning of a tenant's rows; the organization is the last parameter. */
function restrict(select: string): Statement {
  // A statement that writes would reach the table itself: a name in WITH is not what it writes to.
  if (!/^\s*SELECT\b/i.test(select)) throw new Error("a tenant's query is one SELECT");
  if (/\bpublic"?\s*\./i.test(select)) throw new Error("a tenant's query names tables without their schema");
  const named = Object.values(VISIBILITY).filter(([table]) => new RegExp(`\\b${table}\\b`).test(select));
  if (named.length === 0) throw new Error("a tenant's query names no table of the schema");
  const parameters = select.matchAll(/\$(\d+)/g);
  const organization = `$${Math.max(0, ...[...parameters].map(([, number]) => Number(number))) + 1}::uuid`;
  const conditions = {
    own: `organization_id = ${organization}`,
    "own and shared": `(organization_id = ${organization} OR organization_id IS NULL)`,
    shared: `${organization} IS NOT NULL`,
    hidden: `${organization} IS NULL`,
  };
  const views = named.map(
    ([table, rows]) => `${table} AS NOT MATERIALIZED (SELECT * FROM ${table} WHERE ${conditions[rows]})`,
  );
  return {
    id: hash("sha1", select),
    text: `WITH ${views.join(", ")} ${select}`,
    tables: new Set(named.map(([table]) => table)),
  };
}
