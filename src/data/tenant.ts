import { AppError } from "../errors.js";
import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
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

const READS = ["findMany", "findFirst", "count", "aggregate", "groupBy"] as const;
type Models = {
  [Name in Uncapitalize<Prisma.ModelName>]: Pick<
    PrismaClient[Name],
    (typeof READS)[number] & keyof PrismaClient[Name]
  >;
};

/** All that code above this folder's nouns can read with: one tenant's view of the database. */
export interface TenantReader {
  readonly organizationId: string;
  /** Prisma's models, reading only, narrowed to the tenant's rows. Relations stay in the tenant by foreign key. */
  readonly models: Models;
  /** Runs one SELECT, in which each table's name means the tenant's rows of it. It begins with SELECT. */
  query<Row>(select: Prisma.Sql): Promise<Row[]>;
}

const TIME_LIMIT_MS = 10_000;

/**
 * THE place where a tenant is kept to its rows. Everything read through it takes at most `timeLimitMs` in all: what is
 * still being read then is given up with an AppError, and a server's limit on statements ends it there.
 */
export function readAsTenant(
  { prisma }: Database,
  organizationId: string,
  timeLimitMs = TIME_LIMIT_MS,
): TenantReader {
  const inTime = limitTime(timeLimitMs);
  const models = prisma.$extends({
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          if (!(READS as readonly string[]).includes(operation)) {
            throw new Error(`a tenant reads with ${READS.join(", ")}, not with ${operation}`);
          }
          const { where, ...rest } = (args ?? {}) as { where?: object };
          // A related model would be read without its own restriction.
          if ("include" in rest || "select" in rest)
            throw new Error("a tenant reads relations by themselves");
          const narrowed = { AND: [where ?? {}, visibleRows(model, organizationId)] };
          return inTime(() => query({ ...rest, where: narrowed } as never));
        },
      },
    },
  }) as unknown as Models;

  return {
    organizationId,
    models,
    query(select) {
      const statement = Prisma.sql`${visibleTables(select, organizationId)} ${select}`;
      return inTime(() => prisma.$queryRaw(statement));
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

function visibleRows(model: Prisma.ModelName, organizationId: string): object {
  const [, rows] = VISIBILITY[model];
  if (rows === "own") return { organizationId };
  if (rows === "own and shared") return { OR: [{ organizationId }, { organizationId: null }] };
  if (rows === "shared") return {};
  throw new Error(`${model} is not for tenants to read`);
}

/** A WITH clause that gives each table named in `select` the meaning of the tenant's rows of it. */
function visibleTables(select: Prisma.Sql, organizationId: string): Prisma.Sql {
  // A statement that writes would reach the table itself: a name in WITH is not what it writes to.
  if (!/^\s*SELECT\b/i.test(select.sql)) throw new Error("a tenant's query is one SELECT");
  if (/\bpublic"?\s*\./i.test(select.sql))
    throw new Error("a tenant's query names tables without their schema");
  const named = Object.values(VISIBILITY).filter(([table]) => new RegExp(`\\b${table}\\b`).test(select.sql));
  const views = named.map(([table, rows]) => {
    const name = Prisma.raw(table);
    const own = Prisma.sql`organization_id = ${organizationId}::uuid`;
    const condition = {
      own,
      "own and shared": Prisma.sql`(${own} OR organization_id IS NULL)`,
      shared: Prisma.sql`true`,
      hidden: Prisma.sql`false`,
    }[rows];
    return Prisma.sql`${name} AS NOT MATERIALIZED (SELECT * FROM ${name} WHERE ${condition})`;
  });
  if (views.length === 0) throw new Error("a tenant's query names no table of the schema");
  return Prisma.sql`WITH ${Prisma.join(views)}`;
}
