import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { examine } from "../../src/commands/doctor/doctor.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { median, timed } from "../support/durations.js";
import { type RunningProcess, startInProduction, warmUp } from "../support/process.js";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.js";
import { type Answer, makeKey, makeOrganization } from "../support/server.js";

const AWAY = "Redis is unavailable: counting requests in memory";
const BACK = "Redis is back: counting requests there";
const PATIENCE = { timeout: 60_000, interval: 50 };
/** The master that the tests kill; its address is not in REDIS_URL. */
const KILLED = 2;

let database: TestDatabase;
let acme: string;
let cluster: RedisCluster;
let gateways: RunningProcess[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  acme = await makeOrganization(database);
  cluster = await startRedisCluster([
    "--cluster-require-full-coverage",
    "no",
    "--cluster-node-timeout",
    "4000",
  ]);
  const env = { DATABASE_URL: database.url ?? "", REDIS_URL: cluster.url };
  gateways = await Promise.all([startInProduction(env), startInProduction(env)]);
  const { key } = await makeKey(database, acme);
  await Promise.all(gateways.map((gateway) => warmUp(gateway, key)));
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL")));
  await cluster.stop();
  await database.close();
});

/** Creates a key that `master` counts. */
async function keyOf(master: number, tier: "free" | "enterprise" = "free"): Promise<string> {
  for (;;) {
    const { id, key } = await makeKey(database, acme, { tier });
    if ((await cluster.masterOf(`carbon-gateway:rate-limit:${id}`)) === master) return key;
  }
}
const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
const MASTERS = [0, 1, KILLED];
const keyOfEach = () => Promise.all(MASTERS.map((master) => keyOf(master)));

/** Sends a request to one of the gateways, alternating REST and GraphQL. */
async function ask(index: number, key: string) {
  const gateway = gateways[index % 2] as RunningProcess;
  const { ms, result } = await timed<Answer>(() =>
    Math.floor(index / 2) % 2 === 0
      ? gateway.rest("/benchmarks", key)
      : gateway.graphql("{ organization { slug } }", key),
  );
  const { status, headers } = result;
  return { status, ms, remaining: Number(headers.get("x-ratelimit-remaining")) };
}

/** Sends `count` concurrent requests over both gateways; returns the remaining budgets and the number of refusals. */
async function askAtOnce(key: string, count: number) {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(index, key)));
  const passed = answers.filter(({ status }) => status === 200);
  return {
    remaining: passed.map(({ remaining }) => remaining).sort((a, b) => b - a),
    refused: answers.filter(({ status }) => status === 429).length,
  };
}
const downFrom = (first: number, count: number) => Array.from({ length: count }, (_, used) => first - used);

const changes = ({ log }: RunningProcess) =>
  log()
    .filter(({ msg }) => msg.startsWith("Redis"))
    .map(({ msg }) => msg);

/** Expects one log line per change, however many requests there were; a busy machine may cause one more. */
function expectSaid(gateway: RunningProcess, last: string): void {
  const said = changes(gateway);
  expect(said.at(-1)).toBe(last);
  expect(said.length).toBeLessThanOrEqual(last === AWAY ? 3 : 4);
  expect(said).toEqual(said.map((_line, index) => (index % 2 === 0 ? AWAY : BACK)));
}

/** Returns the state of a gateway's rate limit store, by readiness and by metric. */
async function storeOf(gateway: RunningProcess) {
  const { status, body } = await gateway.ready();
  return [status, body.status, body.rate_limit_store, await gateway.metric("gateway_rate_limit_store_up")];
}
const IN_REDIS = [200, "ok", "redis", 1];
const IN_MEMORY = [200, "degraded", "insurance", 0];

async function doctor() {
  const { checks } = await examine({ DATA_DIR: "/nowhere/at/all", REDIS_URL: cluster.url }, () => new Date());
  const ofRedis = checks.filter(({ check }) => check === "redis" || check === "redis cluster");
  return ofRedis.map(({ status, message }) => [status, message]);
}

describe("two gateways on a Redis Cluster of three masters", () => {
  it("answer exactly 100 of a Free key's 150 concurrent requests, whichever master counts", async () => {
    for (const key of await keyOfEach()) {
      expect(await askAtOnce(key, 150)).toEqual({ remaining: downFrom(99, 100), refused: 50 });
    }
    for (const gateway of gateways) expect(await storeOf(gateway)).toEqual(IN_REDIS);
    expect(gateways.flatMap(changes)).toEqual([]);
    expect(await doctor()).toEqual([
      ...MASTERS.map(() => ["ok", expect.stringMatching(/^127\.0\.0\.1:\d+ runs Redis \d+\./)]),
      ["ok", "All 3 masters are reachable."],
    ]);
  });

  it("get a warning from doctor about a master that would not count while another is down", async () => {
    const [, url = ""] = cluster.urls;
    const master = new Redis(url);
    try {
      await master.config("SET", "cluster-require-full-coverage", "yes");
      const message = `${new URL(url).host} would stop counting if any master of the cluster failed.`;
      expect(await doctor()).toContainEqual(["warning", message]);
    } finally {
      await master.config("SET", "cluster-require-full-coverage", "no");
      master.disconnect();
    }
  });

  it("count a killed master's keys per process, and all others exactly as before", async () => {
    const keys = await keyOfEach();
    for (const key of keys) expect((await askAtOnce(key, 30)).remaining).toEqual(downFrom(99, 30));

    // From the middle of running requests until the gateways have noticed, and a while longer.
    const answers: (Awaited<ReturnType<typeof ask>> & { master: number })[] = [];
    let isOver = false;
    const traffic = MASTERS.map(async (master) => {
      const key = await keyOf(master, "enterprise");
      for (let turn = 0; !isOver; turn += 1) answers.push({ master, ...(await ask(turn, key)) });
    });
    const answered = async (count: number) => {
      const goal = answers.length + count;
      await expect.poll(() => answers.length, PATIENCE).toBeGreaterThan(goal);
    };
    await answered(300);
    const before = median(answers.splice(0).map(({ ms }) => ms));
    await cluster.masters[KILLED]?.kill();
    for (const gateway of gateways) await expect.poll(() => storeOf(gateway), PATIENCE).toEqual(IN_MEMORY);
    await answered(300);
    isOver = true;
    await Promise.all(traffic);

    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    // Waiting for Redis would take dozens of times as long.
    for (const master of MASTERS) {
      const times = answers.filter((answer) => answer.master === master).map(({ ms }) => ms);
      expect(median(times) / before).toBeLessThan(10);
    }

    const [ofFirst, ofSecond, ofKilled] = keys as [string, string, string];
    for (const key of [ofFirst, ofSecond]) {
      expect(await askAtOnce(key, 100)).toEqual({ remaining: downFrom(69, 70), refused: 30 });
    }
    // Each gateway counts its own requests from zero.
    const { remaining, refused } = await askAtOnce(ofKilled, 100);
    expect([remaining.length, refused]).toEqual([100, 0]);
    expect(new Set(remaining)).toEqual(new Set(downFrom(99, 50)));
    for (const gateway of gateways) expectSaid(gateway, AWAY);
    expect(await doctor()).toContainEqual(["failure", expect.stringContaining("does not answer")]);
  });

  it("count there exactly again when it is back, and log each change once", async () => {
    await cluster.masters[KILLED]?.start();
    for (const gateway of gateways) await expect.poll(() => storeOf(gateway), PATIENCE).toEqual(IN_REDIS);
    for (const key of await keyOfEach()) {
      expect(await askAtOnce(key, 150)).toEqual({ remaining: downFrom(99, 100), refused: 50 });
    }
    for (const gateway of gateways) expectSaid(gateway, BACK);
    await expect.poll(doctor, PATIENCE).toEqual(times(4, ["ok", expect.any(String)]));
  });
});
