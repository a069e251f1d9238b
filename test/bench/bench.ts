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

/** What every case works with. */
export interface Bench extends BenchOptions {
  readonly tenants: readonly Tenant[];
  readonly database: Database;
  /** A connection that no server knows of, to change data by. */
  readonly sql: pg.Client;
  /** Starts servers, each alone in its process, and stops them after the work. */
  withServers<Name extends ServerName, Result>(
    names: readonly Name[],
    work: (servers: Record<Name, Server>) => Promise<Result>,
  ): Promise<Result>;
  /** Gives every key its whole budget back. */
  forgetLimits(): Promise<void>;
  /** Loads each server for a while, so that its code is compiled; budgets are whole afterwards. */
  warmUp(servers: readonly Server[], calls: readonly Call[]): Promise<void>;
  /** Rounds of load on each server in turns, after a warm-up. */
  alternate(servers: readonly Server[], calls: readonly Call[]): Promise<Map<Server, Round[]>>;
  /** Tells whoever waits what is being measured. */
  say(text: string): void;
  /** Takes lines of the table, as they are known. */
  report(...rows: Row[]): void;
}

const TENANTS = { name: "tenant-", tenants: 20, keysPerTenant: 10, recordsPerTenant: 10_000 };
const WARM_UP_SECONDS = 2;

/** Makes a database filled with tenants, runs the work, and removes it. */
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
    // As many as the keys of the tier enterprise have.
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
 * The servers in the order of a round: A B C, C B A, A B C. In one order, the same server would always come after the one
 * that leaves the database at work.
 */
export const inTurn = <Item>(servers: readonly Item[], round: number): readonly Item[] =>
  round % 2 === 0 ? servers : servers.toReversed();

/** The Redis of TEST_REDIS_URL, and there a database where nobody else counts; `forgetLimits` gives all budgets back. */
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

/** The median of the ratios of two servers' rounds, pair by pair. */
export function medianRatio<Item>(
  items: readonly Item[],
  others: readonly Item[],
  ratio: (item: Item, other: Item) => number,
): number {
  return median(items.map((item, index) => ratio(item, others[index] as Item)));
}
