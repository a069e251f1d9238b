import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TIER_LIMITS } from "../../src/domain/tiers.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/budget/rate-limit.js";
import { createRedisServer } from "../support/redis-server.js";
import { use } from "../support/use.js";

let redis: Redis;
let limiter: RateLimiter;

const server = use(createRedisServer);
beforeAll(async () => {
  await server.start();
  redis = new Redis(server.url);
  limiter = await createRateLimiter({
    redisUrls: [server.url],
    sessionRequestsPerHour: 5,
    scimRequestsPerHour: 10_000,
    onStoreChange: () => undefined,
  });
});
afterAll(async () => {
  await limiter.stop();
  redis.disconnect();
  await server.kill();
});

const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

describe("concurrent requests", () => {
  it("are counted individually, by key", async () => {
    const states = await Promise.all([
      ...times(120, () => limiter.consume("free", "free")),
      ...times(120, () => limiter.consume("pro", "pro")),
      ...times(10, (index) => limiter.consume(`other ${index}`, "enterprise")),
    ]);
    expect(limiter.store()).toBe("redis");
    const used = (from: number, to: number) => states.slice(from, to).map((state) => state.used);
    expect(used(0, 120)).toEqual(times(120, (index) => Math.min(index + 1, TIER_LIMITS.free)));
    expect(states.filter(({ allowed }) => !allowed)).toHaveLength(120 - TIER_LIMITS.free);
    expect(used(120, 240)).toEqual(times(120, (index) => index + 1));
    expect(used(240, 250)).toEqual(times(10, () => 1));
  });
});

describe("a budget", () => {
  it("resets even if its counter in Redis has lost its expiry", async () => {
    const name = "carbon-gateway:rate-limit:endless";
    await redis.set(name, 7);
    expect(await limiter.consume("endless", "free")).toMatchObject({ used: 8, secondsToReset: 3_600 });
    expect(await redis.ttl(name)).toBeGreaterThan(3_590);
  });

  it.each([
    ["a text", (name: string) => redis.set(name, "foo")],
    ["a list", (name: string) => redis.rpush(name, "a", "b")],
    ["a hash", (name: string) => redis.hset(name, "count", 7)],
    ["a fraction", (name: string) => redis.set(name, "1.5")],
    ["the largest possible number", (name: string) => redis.set(name, "9223372036854775807")],
  ])("starts over if the value of its counter is %s, and other keys stay in Redis", async (what, put) => {
    const id = `spoiled by ${what}`;
    await put(`carbon-gateway:rate-limit:${id}`);
    const countOther = () => limiter.consume(`beside ${what}`, "free");
    const states = await Promise.all([countOther(), limiter.consume(id, "free"), countOther()]);
    expect(states.map(({ used }) => used)).toEqual([1, 1, 2]);
    expect(limiter.store()).toBe("redis");
    expect(await redis.get(`carbon-gateway:rate-limit:${id}`)).toBe("1");
    expect((await limiter.consume(id, "free")).used).toBe(2);
  });

  it("is counted in this process while Redis is out of memory, and kept", async () => {
    await limiter.consume("kept", "free");
    const name = "carbon-gateway:rate-limit:kept";
    await redis.config("SET", "maxmemory", "1");
    try {
      expect((await limiter.consume("kept", "free")).used).toBe(1);
      expect(limiter.store()).toBe("insurance");
      expect(await redis.get(name)).toBe("1");
    } finally {
      await redis.config("SET", "maxmemory", "0");
    }
    await expect.poll(() => limiter.store()).toBe("redis");
    expect((await limiter.consume("kept", "free")).used).toBe(2);
  });

  it("is not spent by refused requests", async () => {
    await Promise.all(times(150, () => limiter.consume("refused", "free")));
    expect(await limiter.consume("refused", "pro")).toMatchObject({ used: 101, allowed: true });
  });
});
