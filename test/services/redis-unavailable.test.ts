import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { timesAsLong } from "../support/durations.js";
import { type RunningProcess, startInProduction, warmUp } from "../support/process.js";
import { createRedisServer, type RedisServer } from "../support/redis-server.js";
import { makeKey, makeOrganization } from "../support/server.js";

const AWAY = "Redis is unavailable: counting requests in memory";
const BACK = "Redis is back: counting requests there";
const PATIENCE = { timeout: 60_000, interval: 50 };

let database: TestDatabase;
let acme: string;
let redis: RedisServer;
let gateways: [RunningProcess, RunningProcess];

beforeAll(async () => {
  database = await openTestDatabase();
  acme = await makeOrganization(database);
});
afterAll(() => database.close());

beforeEach(async () => {
  redis = await createRedisServer();
});
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL")));
  await redis.kill();
});

async function startGateways(): Promise<void> {
  const env = { DATABASE_URL: database.url ?? "", REDIS_URL: redis.url };
  gateways = await Promise.all([startInProduction(env), startInProduction(env)]);
  const { key } = await makeKey(database, acme);
  await Promise.all(gateways.map((gateway) => warmUp(gateway, key)));
}

const freeKey = () => makeKey(database, acme, { tier: "free" });

/** Sends a request; returns the status and the remaining budget. */
async function ask(gateway: RunningProcess, key: string, surface: "rest" | "graphql" = "rest") {
  const { status, headers } =
    surface === "rest"
      ? await gateway.rest("/benchmarks", key)
      : await gateway.graphql("{ organization { slug } }", key);
  const remaining = /^"free";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1];
  return { status, remaining: Number(remaining) };
}

/** Sends 150 concurrent requests of one key to one gateway; counts the answers by status. */
async function askTooOften(gateway: RunningProcess, key: string) {
  const answers = await Promise.all(
    Array.from({ length: 150 }, (_, index) => ask(gateway, key, index % 2 === 0 ? "rest" : "graphql")),
  );
  const remaining = answers.filter(({ status }) => status === 200).map((answer) => answer.remaining);
  return {
    remaining: remaining.sort((a, b) => b - a),
    refused: answers.filter(({ status }) => status === 429).length,
  };
}

const from99to0 = Array.from({ length: 100 }, (_, used) => 99 - used);

/** Returns the state of a gateway's rate limit store, by readiness and by metric. */
async function storeOf(gateway: RunningProcess) {
  const { status, body } = await gateway.ready();
  return [status, body, await gateway.metric("gateway_rate_limit_store_up")];
}
const IN_REDIS = [200, { status: "ok", database: "up", rate_limit_store: "redis" }, 1];
const IN_MEMORY = [200, { status: "degraded", database: "up", rate_limit_store: "insurance" }, 0];

/** Returns a gateway's log lines about Redis. */
const changes = ({ log }: RunningProcess) =>
  log()
    .filter(({ msg }) => msg.startsWith("Redis"))
    .map(({ msg }) => msg);

const failures = [
  ["killed", () => redis.kill(), () => redis.start()],
  ["hung", () => redis.hang(), () => redis.resume()],
] as const;

describe.each(failures)("a Redis that is %s", (_failure, fail, recover) => {
  beforeEach(async () => {
    await redis.start();
    await startGateways();
    for (const gateway of gateways) expect(await storeOf(gateway)).toEqual(IN_REDIS);
  });

  it("delays no answer: each process continues to count in memory, and keeps the limit", async () => {
    const { key } = await freeKey();
    await fail();

    for (const surface of ["rest", "graphql", "rest", "graphql"] as const) {
      for (const gateway of gateways) {
        expect((await ask(gateway, key, surface)).status).toBe(200);
      }
    }
    const { key: frequent } = await makeKey(database, acme);
    for (const gateway of gateways) {
      expect(await storeOf(gateway)).toEqual(IN_MEMORY);
      const { key: other } = await freeKey();
      expect(await askTooOften(gateway, other)).toEqual({ remaining: from99to0, refused: 50 });
      expect((await ask(gateway, key)).remaining).toBe(95);
      await expect.poll(() => changes(gateway), PATIENCE).toEqual([AWAY]);
      // Waiting for Redis would take a hundred times as long as a refusal without it.
      const ratio = await timesAsLong(
        () => ask(gateway, frequent),
        () => ask(gateway, "malformed"),
      );
      expect(ratio).toBeLessThan(10);
    }
  });

  it("is used again when it is back, by every process, without a restart or a request", async () => {
    await fail();
    const { key: first } = await freeKey();
    for (const gateway of gateways) {
      expect((await ask(gateway, first)).remaining).toBe(99);
      await expect.poll(() => changes(gateway), PATIENCE).toEqual([AWAY]);
    }

    await recover();
    for (const gateway of gateways) {
      await expect.poll(() => storeOf(gateway), PATIENCE).toEqual(IN_REDIS);
      await expect.poll(() => changes(gateway), PATIENCE).toEqual([AWAY, BACK]);
    }
    const { key } = await freeKey();
    const remaining: number[] = [];
    for (const gateway of [...gateways, ...gateways]) remaining.push((await ask(gateway, key)).remaining);
    expect(remaining).toEqual([99, 98, 97, 96]);
    for (const gateway of gateways) await expect.poll(() => changes(gateway), PATIENCE).toEqual([AWAY, BACK]);
  });
});

describe("a Redis that answers one request late", () => {
  it("is used again at once, and only reported if it also fails the next one", async () => {
    await redis.start();
    await startGateways();
    const { key } = await freeKey();
    redis.hang();
    expect((await ask(gateways[0], key)).status).toBe(200);
    redis.resume();

    await expect.poll(() => storeOf(gateways[0]), PATIENCE).toEqual(IN_REDIS);
    expect([[], [AWAY, BACK]]).toContainEqual(changes(gateways[0]));
  });
});

describe("a Redis that is unavailable when the gateway starts", () => {
  it("does not keep it from starting, and is used once it is up", async () => {
    await startGateways();
    for (const gateway of gateways) {
      expect(await storeOf(gateway)).toEqual(IN_MEMORY);
      const { key } = await freeKey();
      expect(await askTooOften(gateway, key)).toEqual({ remaining: from99to0, refused: 50 });
      await expect.poll(() => changes(gateway), PATIENCE).toEqual([AWAY]);
    }

    await redis.start();
    for (const gateway of gateways) await expect.poll(() => storeOf(gateway), PATIENCE).toEqual(IN_REDIS);
    const { key } = await freeKey();
    for (const [used, gateway] of gateways.entries()) {
      expect((await ask(gateway, key)).remaining).toBe(99 - used);
      await expect.poll(() => changes(gateway), PATIENCE).toEqual([AWAY, BACK]);
    }
  });
});
