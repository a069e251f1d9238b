import { AppError } from "../errors.js";
import type { Prisma } from "../generated/prisma/client.js";
import type { Database } from "./database.js";

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
  ComplianceStatus: ["compliance_statuses", "own"],
  ComplianceDeadline: ["compliance_deadlines", "own"],
  CreditBatch: ["credit_batches", "own"],
  CreditSale: ["credit_sales", "own"],
  CreditRetirement: ["credit_retirements", "own"],
  Benchmark: ["benchmarks", "shared"],
  MarketPrice: ["market_prices", "own and shared"],
  ExchangeFeed: ["exchange_feeds", "shared"],
};

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
  query<Row>(select: Prisma.Sql): Promise<Row[]>;
  /** Says that what was read is true until then only. */
  holdsUntil(time: Date): void;
}

const TIME_LIMIT_MS = 10_000;

/**
 * THE place where a tenant is kept to its rows. Everything read through it takes at most `timeLimitMs` in all: what is
 * still being read then is given up with an AppError, and a server's limit on statements ends it there.
 */
export function readAsTenant(
  database: Database,
  organizationId: string,
  timeLimitMs = TIME_LIMIT_MS,
): TenantReader {
  const inTime = limitTime(timeLimitMs);
  const tables = new Set<string>();
  const basis = { tables, until: Number.POSITIVE_INFINITY };
  return {
    organizationId,
    basis,
    query(select) {
      const statement = restrict(select.text);
      for (const table of statement.tables) tables.add(table);
      return inTime(() => database.select(statement.text, [...select.values, organizationId]));
    },
    holdsUntil(time) {
      basis.until = Math.min(basis.until, time.getTime());
    },
  };
}

/** Makes a function that runs what it is given, so long as the time has not run out, and waits no longer than that. */
function limitTime(limitMs: number) {
  const end = performance.now() + limitMs;
  return async <T>(read: () => Promise<T>): Promise<T> => {
    const left = end - performance.now();
    if (left <= 0) throw tooLong(limitMs);
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(tooLong(limitMs)), left);
    });
    return Promise.race([read(), timeUp]).finally(() => clearTimeout(timer));
  };
}

const tooLong = (limitMs: number) =>
  new AppError(
    "INTERNAL_ERROR",
    `The request took longer than ${limitMs / 1_000} seconds. Ask for less at once.`,
  );

interface Statement {
  readonly text: string;
  readonly tables: readonly string[];
}

const MOST_STATEMENTS = 10_000;
const statements = new Map<string, Statement>();

/** `select` with each table's name given the meaning of a tenant's rows; the organization is the last parameter. */
function restrict(select: string): Statement {
  let statement = statements.get(select);
  if (statement === undefined) {
    statement = readVisibleRows(select);
    // Texts are few, but nobody has counted them.
    if (statements.size >= MOST_STATEMENTS) statements.clear();
    statements.set(select, statement);
  }
  return statement;
}

function readVisibleRows(select: string): Statement {
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
  return { text: `WITH ${views.join(", ")} ${select}`, tables: named.map(([table]) => table) };
}
