import { randomUUID } from "node:crypto";
import { type Changes, listenForChanges } from "../../src/data/cache/changes.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { write } from "../../src/data/database/transaction.js";
import type { Database } from "../../src/data/database/types.js";
import { inTurn, medianRatio } from "./bench.js";
import { cpuSecondsOf, createScratchDatabase, median } from "./database.js";

const WRITERS = 16;
/** Number of gateways. Each has its own connections and listens, like a process. */
const GATEWAYS = 4;
const ROUNDS = 7;
const DEFAULT_SECONDS = 4;

interface Side {
  readonly name: string;
  readonly gateways: readonly Database[];
  /** One organization per writer. */
  readonly organizations: readonly string[];
  /** Returns the CPU seconds of the server's processes for this database. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

interface Round {
  readonly perSecond: number;
  /** PostgreSQL's CPU milliseconds per commit. */
  readonly ofPostgres: number;
  /** CPU milliseconds per commit of this process, which runs all gateways. */
  readonly ofGateways: number;
}

const FIGURES: readonly ((round: Round) => number)[] = [
  ({ perSecond }) => perSecond,
  ({ ofPostgres }) => ofPostgres,
  ({ ofGateways }) => ofGateways,
  ({ ofPostgres, ofGateways }) => ofPostgres + ofGateways,
];

/**
 * Measures how many one-record commits 16 writers in 16 organizations complete through the gateway's write door, with and
 * without announcements: medians of rounds in turns. `--seconds <n>` sets the length of a round.
 */
export async function commits(options: readonly string[]): Promise<void> {
  const at = options.indexOf("--seconds");
  const seconds = at < 0 ? DEFAULT_SECONDS : Number(options[at + 1]);
  const sides: Side[] = [];
  try {
    for (const announces of [true, false]) sides.push(await openSide(announces));
    const found = new Map<Side, Round[]>(sides.map((side) => [side, []]));
    for (const side of sides) await measure(side, 2);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const side of inTurn(sides, round)) found.get(side)?.push(await measure(side, seconds));
    }
    console.log(`\n${WRITERS} writers, one record a commit, ${ROUNDS} rounds of ${seconds} s`);
    console.log(
      "| announcements | commits a second | PostgreSQL, ms a commit | gateways, ms a commit | both |",
    );
    console.log("|---|---|---|---|---|");
    const line = (name: string, values: readonly number[]) =>
      console.log(`| ${[name, ...values.map((value) => value.toFixed(value > 10 ? 0 : 2))].join(" | ")} |`);
    for (const [{ name }, rounds] of found) {
      line(
        name,
        FIGURES.map((pick) => median(rounds.map(pick))),
      );
    }
    const [announced = [], silent = []] = found.values();
    line(
      "ratio",
      FIGURES.map((pick) => medianRatio(announced, silent, (one, other) => pick(one) / pick(other))),
    );
  } finally {
    for (const side of sides) await side.stop();
  }
}

async function openSide(announces: boolean): Promise<Side> {
  const name = announces ? "with" : "without";
  const { url, database, drop } = await createScratchDatabase(`gateway_bench_commits_${name}`);
  if (!announces) await silence(database);
  const organizations = Array.from({ length: WRITERS }, () => randomUUID());
  await database.transaction((sql) =>
    sql.query(
      "INSERT INTO organizations (id, slug, name) SELECT id, 'o' || id, 'Acme' FROM unnest($1::uuid[]) AS id",
      [organizations],
    ),
  );
  const gateways = Array.from({ length: GATEWAYS }, () =>
    openPostgres(url, { statementTimeoutMs: 3_000, onError: () => undefined }),
  );
  const listening: Changes[] = [];
  for (const gateway of gateways) listening.push(await listenForChanges(gateway));
  return {
    name,
    gateways,
    organizations,
    async cpuSeconds() {
      const own = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()";
      return cpuSecondsOf(await database.select<{ pid: number }>(own, []));
    },
    async stop() {
      for (const one of listening) await one.stop();
      for (const gateway of gateways) await gateway.close();
      await drop();
    },
  };
}

/** Makes the triggers do all of their work except the announcement. */
async function silence(database: Database): Promise<void> {
  await database.transaction(async (sql) => {
    const functions = await sql.query<{ text: string }>(
      `SELECT pg_get_functiondef(oid) AS text FROM pg_proc
       WHERE pronamespace = current_schema()::regnamespace AND prosrc LIKE '%pg_notify(%'`,
    );
    for (const { text } of functions) {
      await sql.script(text.replaceAll("pg_notify(", "concat(").replaceAll("set_config(", "concat("));
    }
  });
}

async function measure(side: Side, seconds: number): Promise<Round> {
  const cpu = await side.cpuSeconds();
  const own = process.cpuUsage();
  const started = performance.now();
  const counts = await Promise.all(
    side.organizations.map(async (organizationId, index) => {
      const gateway = side.gateways[index % side.gateways.length] as Database;
      let count = 0;
      for (; performance.now() - started < seconds * 1_000; count += 1)
        await addRecord(gateway, organizationId);
      return count;
    }),
  );
  const passed = (performance.now() - started) / 1_000;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const { user, system } = process.cpuUsage(own);
  const ofPostgres = (((await side.cpuSeconds()) - cpu) * 1_000) / total;
  return { perSecond: total / passed, ofPostgres, ofGateways: (user + system) / 1_000 / total };
}

function addRecord(database: Database, organizationId: string): Promise<number> {
  return write(database, { actor: null, organizationId, requestId: "" }, (sql) =>
    sql.execute(
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
       VALUES ($1, '2026-11-02', 'scope_1', 1)`,
      [organizationId],
    ),
  );
}
