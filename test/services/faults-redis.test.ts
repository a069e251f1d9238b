import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  askAll,
  describeOutcomes,
  makeQuestions,
  slowness,
  startLoad,
  unexpected,
} from "../support/constant-load.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { IS_FULL, inShort } from "../support/full.js";
import { type RunningProcess, startInProduction } from "../support/process.js";
import { createRedisServer, type RedisServer } from "../support/redis-server.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";

let database: TestDatabase;
let slug: string;
let questions: Awaited<ReturnType<typeof makeQuestions>>;
let redis: RedisServer;
let proxy: TcpProxy;
let gateways: [RunningProcess, RunningProcess];

beforeAll(async () => {
  database = await openTestDatabase();
  slug = await makeOrganization(database);
  questions = await makeQuestions(database);
  redis = await createRedisServer();
  await redis.start();
  proxy = await startTcpProxy(new URL(redis.url));
  return async () => {
    await redis.kill();
    await proxy.close();
    await database.close();
  };
});

async function startGateways(redisUrl: string): Promise<void> {
  const env = { DATABASE_URL: database.url ?? "", REDIS_URL: redisUrl };
  gateways = await Promise.all([startInProduction(env), startInProduction(env)]);
  for (const gateway of gateways) await askAll(gateway, questions);
}
const stopGateways = async () => void (await Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL"))));

/** Returns a new Free key's remaining budget after each of `count` requests, or the status of a refusal. */
async function spend(count: number, ...among: RunningProcess[]): Promise<(number | string)[]> {
  const { key } = await makeKey(database, slug, { tier: "free" });
  const left: (number | string)[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, headers } = await (among[index % among.length] as RunningProcess).rest(
      "/benchmarks",
      key,
    );
    left.push(status === 200 ? Number(headers.get("x-ratelimit-remaining")) : status);
  }
  return left;
}
const downFrom99 = (count: number) => Array.from({ length: count }, (_, used) => 99 - used);

const storesOf = () =>
  Promise.all(gateways.map(async (gateway) => (await gateway.ready()).body.rate_limit_store));

const AWAY = "Redis is unavailable: counting requests in memory";
const BACK = "Redis is back: counting requests there";
const changesOf = ({ log }: RunningProcess) =>
  log()
    .filter(({ msg }) => msg.startsWith("Redis"))
    .map(({ msg }) => msg);

/** Puts both gateways under load before, during and after a fault. */
async function underLoad(
  fault: string,
  fail: () => void | Promise<void>,
  recover: () => void | Promise<void>,
) {
  const known = gateways.map((gateway) => changesOf(gateway).length);
  let turn = 0;
  const load = startLoad(
    () => {
      turn += 1;
      // In runs, so that each gateway gets every question.
      return gateways[Math.floor(turn / 7) % 2] as RunningProcess;
    },
    questions,
    "/health/ready",
  );
  await load.sent(150);
  const before = load.outcomes.length;
  await fail();
  await load.sent(60);
  const inMemory = await spend(103, gateways[0]);
  await load.sent(120);
  const during = load.outcomes.length;
  await recover();
  await expect.poll(storesOf).toEqual(["redis", "redis"]);
  const exact = await spend(30, ...gateways);
  await load.sent(60);
  const outcomes = await load.stop();
  console.log(describeOutcomes(`Redis ${fault}`, outcomes));

  expect(unexpected(outcomes, "right")).toEqual([]);
  // Waiting for Redis would take dozens of times as long.
  const ratio = slowness(outcomes.slice(before, during)) / slowness(outcomes.slice(0, before));
  expect(ratio).toBeLessThan(5);
  expect(exact).toEqual(downFrom99(30));
  return { inMemory, changes: gateways.map((gateway, index) => changesOf(gateway).slice(known[index])) };
}

/** Sets Redis's memory limit: above it, Redis answers a ping but refuses to count. */
async function limitMemory(bytes: string): Promise<void> {
  const admin = new Redis(redis.url);
  await admin.config("SET", "maxmemory", bytes);
  admin.disconnect();
}

const nothing = () => undefined;
/** A fault in which a gateway may reconnect before any request needs Redis. */
const RESTARTED = "restarted empty";
const FAULTS: readonly (readonly [string, () => void | Promise<void>, () => void | Promise<void>])[] = [
  ["killed (kill -9)", () => redis.kill(), () => redis.start()],
  ["hung (SIGSTOP)", () => redis.hang(), () => redis.resume()],
  ["refusing to write", () => limitMemory("1"), () => limitMemory("0")],
  [RESTARTED, () => redis.kill().then(redis.start), nothing],
];

// One whose requests wait, and one that answers but does not count.
const SHORT = ["hung (SIGSTOP)", "refusing to write"];

describe("a Redis under load,", () => {
  beforeAll(() => startGateways(redis.url));
  afterAll(stopGateways);

  it.each(inShort(FAULTS, ([fault]) => SHORT.includes(fault)))(
    "%s, neither fails nor delays requests, keeps limits, and then counts exactly again",
    async (...fault) => {
      const { inMemory, changes } = await underLoad(...fault);
      expect(inMemory).toEqual([...downFrom99(100), 429, 429, 429]);
      for (const texts of changes)
        if (fault[0] !== RESTARTED || texts.length > 0) expect(texts).toEqual([AWAY, BACK]);
    },
  );
});

describe.runIf(IS_FULL)("a Redis under load that answers", () => {
  beforeAll(() => startGateways(`redis://127.0.0.1:${proxy.port}`));
  afterAll(stopGateways);

  it("150 ms late neither fails nor delays requests, keeps limits, and then counts exactly again", async () => {
    const { inMemory, changes } = await underLoad(
      "150 ms late",
      () => proxy.delay(150),
      () => proxy.restore(),
    );
    expect(inMemory).toEqual([...downFrom99(100), 429, 429, 429]);
    // A busy machine may itself be late several times.
    for (const texts of changes) expect(texts).toEqual(texts.map((_, at) => (at % 2 === 0 ? AWAY : BACK)));
    for (const texts of changes) expect([texts.length > 0, texts.at(-1)]).toEqual([true, BACK]);
  });
});
