import { Redis } from "ioredis";
import pg from "pg";
import { createScratchDatabase, median } from "./database.js";
import { fillBenchmarks, fillTenants, type Tenant } from "./fill.js";
import { type Call, loadFor, type Round } from "./load.js";
import type { Row } from "./report.js";
import { type Server, type ServerName, startServer } from "./server-process.js";

export interface BenchOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly samples: number;
}

type Database = Awaited<ReturnType<typeof createScratchDatabase>>["database"];

/** The environment of every case. */
export interface Bench extends BenchOptions {
  readonly tenants: readonly Tenant[];
  readonly database: Database;
  /** A separate connection for changing data. */
  readonly sql: pg.Client;
  /** Starts servers, each in its own process, and stops them after the work. */
  withServers<Name extends ServerName, Result>(
    names: readonly Name[],
    work: (servers: Record<Name, Server>) => Promise<Result>,
  ): Promise<Result>;
  /** Resets the budget of every key. */
  forgetLimits(): Promise<void>;
  /** Loads each server for a while, so that its code is compiled, and resets budgets. */
  warmUp(servers: readonly Server[], calls: readonly Call[]): Promise<void>;
  /** Runs rounds of load on the servers in turns, after a warm-up. */
  alternate(servers: readonly Server[], calls: readonly Call[]): Promise<Map<Server, Round[]>>;
  /** Prints what is being measured. */
  say(text: string): void;
  /** Adds rows to the table. */
  report(...rows: Row[]): void;
}

const TENANTS = { name: "tenant-", tenants: 20, keysPerTenant: 10, recordsPerTenant: 10_000 };
const WARM_UP_SECONDS = 2;

/** Creates a database filled with tenants, runs the work, and removes the database. */
export async function withBench<Result>(
  options: BenchOptions,
  report: (...rows: Row[]) => void,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const scratch = await createScratchDatabase(`gateway_bench_${process.pid}`);
  const sql = new pg.Client({ connectionString: scratch.url });
  const limits = openLimits();
  const env = {
    DATABASE_URL: scratch.url,
    REDIS_URL: limits.url,
    // The limit of Enterprise keys.
    SESSION_REQUESTS_PER_HOUR: "10000",
  };
  const { forgetLimits } = limits;
  try {
    await sql.connect();
    say("filling the database");
    await fillBenchmarks(scratch.database);
    const tenants = await fillTenants(scratch.database, TENANTS);
    const bench: Bench = {
      ...options,
      tenants,
      database: scratch.database,
      sql,
      say,
      report,
      forgetLimits,
      async withServers(names, run) {
        await forgetLimits();
        const started: Server[] = [];
        try {
          for (const name of names) {
            const [first] = started;
            const bodies = { BODIES_OF: first?.url ?? "", API_KEY: tenants[0]?.keys[0] ?? "" };
            started.push(await startServer(name, { ...env, ...(name === "floor" && bodies) }));
          }
          return await run(Object.fromEntries(started.map((server) => [server.name, server])) as never);
        } finally {
          await Promise.all(started.map((server) => server.stop()));
        }
      },
      async warmUp(servers, calls) {
        for (const server of servers) await loadFor(server, calls, WARM_UP_SECONDS);
        await forgetLimits();
      },
      async alternate(servers, calls) {
        const found = new Map<Server, Round[]>(servers.map((server) => [server, []]));
        await bench.warmUp(servers, calls);
        for (let round = 0; round < options.rounds; round += 1) {
          for (const server of inTurn(servers, round)) {
            await forgetLimits();
            found.get(server)?.push(await loadFor(server, calls, options.seconds));
          }
        }
        return found;
      },
    };
    return await work(bench);
  } finally {
    await forgetLimits().catch(() => undefined);
    limits.close();
    await sql.end();
    await scratch.drop();
  }
}

/**
 * Returns the servers in the order of a round: A B C, C B A, A B C. In a fixed order, the same server would always follow
 * the one that leaves the database busy.
 */
export const inTurn = <Item>(servers: readonly Item[], round: number): readonly Item[] =>
  round % 2 === 0 ? servers : servers.toReversed();

/** Opens a separate database of TEST_REDIS_URL for budgets, which `forgetLimits` resets. */
export function openLimits(): { url: string; forgetLimits: () => Promise<void>; close: () => void } {
  const url = new URL(process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379");
  if (url.pathname.length <= 1) url.pathname = "/9";
  const redis = new Redis(url.href);
  return {
    url: url.href,
    async forgetLimits() {
      for await (const keys of redis.scanStream({ match: "carbon-gateway:*", count: 1_000 })) {
        if (keys.length > 0) await redis.unlink(keys);
      }
    },
    close: () => redis.disconnect(),
  };
}

export const medianOf = <Item>(items: readonly Item[], pick: (item: Item) => number) =>
  median(items.map(pick));

/** Returns the median ratio of two servers' rounds, pair by pair. */
export function medianRatio<Item>(
  items: readonly Item[],
  others: readonly Item[],
  ratio: (item: Item, other: Item) => number,
): number {
  return median(items.map((item, index) => ratio(item, others[index] as Item)));
}
