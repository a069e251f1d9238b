import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PasswordAttempt } from "../../src/domain/people/password-attempt.js";
import { createGuessing } from "../../src/limits/budget/guessing.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/budget/rate-limit.js";
import { createRedisServer, type RedisServer } from "../support/redis-server.js";

const ada: PasswordAttempt = { email: "Ada@example.com", address: "192.0.2.7", isKnownAddress: false };

let server: RedisServer;
let limiters: readonly RateLimiter[];
let guessings: readonly ReturnType<typeof createGuessing>[];

beforeEach(async () => {
  server = await createRedisServer();
  await server.start();
  const options = {
    redisUrls: [server.url],
    sessionRequestsPerHour: 5_000,
    scimRequestsPerHour: 10_000,
    onStoreChange: () => undefined,
  };
  limiters = await Promise.all([createRateLimiter(options), createRateLimiter(options)]);
  guessings = limiters.map(({ createCounter }) => createGuessing(createCounter));
});
afterEach(async () => {
  await Promise.all(limiters.map((limiter) => limiter.stop()));
  await server.kill();
});

/** Returns how many of 20 concurrent guesses each process admits. */
const letThrough = (guess: PasswordAttempt) =>
  Promise.all(
    guessings.map(async ({ attempt }) => {
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => attempt(guess)));
      return answers.filter(({ status }) => status === "fulfilled").length;
    }),
  );

describe("password guesses", () => {
  it("are counted over all processes for 15 minutes, without the e-mail in Redis", async () => {
    const [one = 0, two = 0] = await letThrough(ada);
    expect(one + two).toBe(5);
    const redis = new Redis(server.url);
    const names = (await redis.keys("carbon-gateway:guesses:*")).toSorted();
    // SHA-256 of ada@example.com.
    const email = "b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72";
    const counts = await Promise.all(names.map(async (name) => [name, await redis.get(name)]));
    const left = await Promise.all(names.map((name) => redis.ttl(name)));
    redis.disconnect();
    expect(counts).toEqual([
      ["carbon-gateway:guesses:address:192.0.2.7", "5"],
      [`carbon-gateway:guesses:email-and-address:${email}:192.0.2.7`, "5"],
      [`carbon-gateway:guesses:email:${email}`, "5"],
    ]);
    for (const seconds of left) expect(seconds).toBeGreaterThan(800);
    for (const seconds of left) expect(seconds).toBeLessThanOrEqual(900);
  });

  it.each([
    ["killed", () => server.kill(), () => server.start()],
    ["hung", async () => server.hang(), async () => server.resume()],
  ])(
    "are counted per process while Redis is %s, and together when it is back",
    async (_how, fail, recover) => {
      await fail();
      expect(await letThrough(ada)).toEqual([5, 5]);
      expect(await letThrough(ada)).toEqual([0, 0]);
      expect(limiters.map((limiter) => limiter.store())).toEqual(["insurance", "insurance"]);

      await recover();
      for (const limiter of limiters) {
        await expect.poll(() => limiter.store()).toBe("redis");
      }
      // A different user, because a Redis that hung counts what it received in the meantime.
      const [one = 0, two = 0] = await letThrough({ ...ada, email: "bob@example.com", address: "192.0.2.8" });
      expect(one + two).toBe(5);
    },
  );
});
