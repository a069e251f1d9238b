import { parseArgs } from "node:util";
import { createPostgresServer, createReplica } from "../../support/postgres-server.js";
import { inTurn, medianRatio, openLimits } from "../bench.js";
import { median } from "../database.js";
import { percentile, sendAtPace } from "../paced.js";
import { readLoadBefore } from "../report.js";
import { type Server, startServer } from "../server-process.js";
import { addDifference, type Figures, type Observed, observe } from "./figures.js";
import { fillSides, type Side, urlOf } from "./fill.js";
import { type Planned, planRound } from "./schedule.js";

const GATEWAYS = 2;
/** Connections to each gateway: more than requests wait at any time. */
const CONNECTIONS = 100;
const WARM_UP_ROUNDS = 1;
const LAG_EVERY_MS = 100;
/** Largest ratio of small organizations' 99th percentile to that without the large ones. */
const MAX_SLOWER = 2;

/** PostgreSQL's settings, as in production: an acknowledged commit is on disk. */
const SETTINGS = {
  fsync: "on",
  shared_buffers: "1GB",
  max_wal_size: "8GB",
  shared_preload_libraries: "pg_stat_statements",
};

interface Running {
  readonly side: Side;
  readonly gateways: readonly Server[];
  readonly observed: Observed;
  readonly rounds: Round[];
  lags: number[];
  /** Counts of all rounds. */
  counted: Figures;
  /** Gauges after the last round. */
  gauges: Figures;
  /** Number of answers by status, except 200 and 201. */
  failures: Map<number, number>;
}

/** Latencies in milliseconds by kind and size, such as `reads small`. */
type Round = Readonly<Record<string, readonly number[]>>;

/**
 * Measures how large organizations affect small ones: a thousand organizations on two gateways, a PostgreSQL and its
 * replica, ten with a million records and the others with a thousand. Reads and writes arrive at a steady pace, with a Zipf
 * distribution over organizations. In turns with them, the same calls except those of the ten go to a second pair of
 * gateways on a database without the ten. Needs Linux, PostgreSQL's programs, and the Redis of TEST_REDIS_URL. Options:
 * `--reads` and `--writes` a second, `--seconds` and `--rounds`, and `--records` of a large organization. Exits with 1 if
 * the 99th percentile of small organizations' reads or writes is more than 2 × as long, or anything fails.
 */
export async function organizations(options: readonly string[]): Promise<void> {
  const { records, seconds, rounds, ...rates } = readOptions(options);
  readLoadBefore();
  const primary = await createPostgresServer(SETTINGS);
  const closing: (() => unknown)[] = [primary.remove];
  try {
    await primary.start();
    const sizes = { large: 10, small: 990, recordsOfLarge: records, recordsOfSmall: 1_000 };
    const all = await fillSides(primary.url, sizes);
    const replica = await createReplica(primary);
    closing.unshift(replica.remove);
    await replica.start();
    const limits = openLimits();
    closing.unshift(limits.close);
    const start = async (side: Side): Promise<Running> => {
      const urls = { primary: urlOf(primary.url, side), replica: urlOf(replica.url, side) };
      const env = {
        DATABASE_URL: urls.primary,
        DATABASE_REPLICA_URLS: urls.replica,
        REDIS_URL: limits.url,
        SESSION_REQUESTS_PER_HOUR: "999999999",
      };
      const gateways: Server[] = [];
      for (let count = 0; count < GATEWAYS; count += 1) {
        const gateway = await startServer("gateway", env, Number.POSITIVE_INFINITY);
        closing.unshift(gateway.stop);
        gateways.push(gateway);
      }
      const observed = await observe(gateways, urls);
      closing.unshift(observed.close);
      return { side, gateways, observed, rounds: [], lags: [], counted: {}, gauges: {}, failures: new Map() };
    };
    const running = [await start("with"), await start("without")] as const;
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      const plan = planRound(all, rates, { seconds, gateways: GATEWAYS, seed: round });
      for (const one of inTurn(running, round)) {
        await limits.forgetLimits();
        if (round === 0) Object.assign(one, { lags: [], counted: {}, failures: new Map() });
        const found = await load(one, plan, rates.reads + rates.writes);
        if (round >= 0) one.rounds.push(found);
      }
    }
    console.log(
      `\n${rates.reads} reads and ${rates.writes} writes a second, ${rounds} rounds of ${seconds} s each, ${records} records of a large organization`,
    );
    printLatencies(running);
    printFigures(running, seconds * rounds);
  } finally {
    for (const close of closing) await close();
  }
}

function readOptions(options: readonly string[]) {
  const { values } = parseArgs({
    args: [...options],
    options: {
      reads: { type: "string", default: "200" },
      writes: { type: "string", default: "200" },
      seconds: { type: "string", default: "20" },
      rounds: { type: "string", default: "5" },
      records: { type: "string", default: "1000000" },
    },
  });
  for (const [name, value] of Object.entries(values))
    if (!/^[1-9]\d{0,7}$/.test(value)) throw new Error(`--${name} takes a whole number above 0.`);
  return {
    reads: Number(values.reads),
    writes: Number(values.writes),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    records: Number(values.records),
  };
}

/** Sends a round's calls to a side, except those of organizations that it does not have. */
async function load(one: Running, plan: readonly Planned[], perSecond: number): Promise<Round> {
  const { side, gateways, observed } = one;
  const own = plan.map((call) => (side === "with" || call.size === "small" ? call : null));
  const before = await observed.counters();
  const looking = setInterval(() => {
    observed.lagMs().then(
      (ms) => one.lags.push(ms),
      () => undefined,
    );
  }, LAG_EVERY_MS);
  const urls = gateways.map(({ url }) => url);
  const answers = await sendAtPace(urls, own, perSecond, CONNECTIONS).finally(() => clearInterval(looking));
  one.counted = addDifference(one.counted, before, await observed.counters());
  one.gauges = await observed.gauges();
  const round: Record<string, number[]> = {};
  for (const [index, answer] of answers.entries()) {
    const call = plan[index];
    if (!answer || !call) continue;
    if (![200, 201].includes(answer.status))
      one.failures.set(answer.status, (one.failures.get(answer.status) ?? 0) + 1);
    const name = `${call.kind} ${call.size}`;
    round[name] ??= [];
    round[name].push(answer.ms);
  }
  return round;
}

/** Prints the table of latencies, and sets the exit code. */
function printLatencies([with_, without]: readonly [Running, Running]): void {
  console.log(
    "\n| organizations | requests | a round | p50, ms | p99, ms | p50 without the large, ms | p99 without, ms | p99 with / without |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const size of ["small", "large"]) {
    for (const kind of ["reads", "writes"]) {
      const of = ({ rounds }: Running) => rounds.map((round) => round[`${kind} ${size}`] ?? []);
      const middle = (rounds: readonly (readonly number[])[], part: number) =>
        median(rounds.map((times) => percentile(times, part))).toFixed(1);
      const [own, others] = [of(with_), of(without)];
      const cells = [size, kind, own[0]?.length, middle(own, 0.5), middle(own, 0.99)];
      if (size === "large") cells.push("", "", "");
      else {
        const ratio = medianRatio(
          own,
          others,
          (one, other) => percentile(one, 0.99) / percentile(other, 0.99),
        );
        if (ratio > MAX_SLOWER) process.exitCode = 1;
        cells.push(middle(others, 0.5), middle(others, 0.99), `${ratio.toFixed(2)} ×`);
      }
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
  for (const { side, failures } of [with_, without]) {
    if (failures.size === 0) continue;
    const counts = [...failures].map(([status, count]) => `${count} × ${status}`).join(", ");
    process.stderr.write(`Failed ${side} the large organizations: ${counts}\n`);
    process.exitCode = 1;
  }
}

/** Prints the other figures, each next to the one without the large organizations. */
function printFigures(running: readonly [Running, Running], seconds: number): void {
  console.log("\n| figure | with the large | without |\n|---|---|---|");
  const line = (name: string, figure: (one: Running) => string) =>
    console.log(`| ${[name, ...running.map(figure)].join(" | ")} |`);
  const perSecond = (name: string) => (one: Running) =>
    ((one.counted[name] ?? 0) / seconds).toFixed(name.endsWith("CPU") ? 2 : 0);
  for (const name of ["gateways' CPU", "primary's CPU", "replica's CPU", "load's CPU"])
    line(`${name}, cores`, perSecond(name));
  for (const name of ["primary", "replica"])
    line(`${name}'s statements a second`, perSecond(`${name}'s statements`));
  for (const part of [0.5, 0.99])
    line(`replica's lag, p${part * 100}, ms`, ({ lags }) => percentile(lags, part).toFixed(1));
  line("memory of a gateway, MB", ({ gauges }) => ((gauges["resident MB"] ?? 0) / GATEWAYS).toFixed(0));
  for (const name of Object.keys(running[0].gauges)) {
    if (name === "resident MB") continue;
    const found = ({ counted }: Running) => {
      const [remembered = 0, shared = 0, computed = 0] = ["remembered", "shared", "computed"].map(
        (result) => counted[`${name} ${result}`] ?? 0,
      );
      return { lookups: remembered + shared + computed, computed };
    };
    line(`cache of ${name}: kB of a gateway, lookups a second, not computed`, (one) => {
      const { lookups, computed } = found(one);
      return `${((one.gauges[name] ?? 0) / GATEWAYS / 1_000).toFixed(0)} kB, ${(lookups / seconds).toFixed(0)}, ${((100 * (lookups - computed)) / lookups).toFixed(0)} %`;
    });
  }
}
