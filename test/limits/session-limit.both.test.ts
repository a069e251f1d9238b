import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimitHeaders } from "../../src/http/answer/headers.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/budget/rate-limit.js";
import { redisUrl } from "../support/redis-url.js";
import { NOW } from "../support/server.js";

let limiter: RateLimiter;

beforeAll(async () => {
  limiter = await createRateLimiter({
    redisUrls: redisUrl === null ? undefined : [redisUrl],
    sessionRequestsPerHour: 2,
    scimRequestsPerHour: 10_000,
    onStoreChange: () => undefined,
  });
});
afterAll(() => limiter.stop());

describe("a session's hourly limit", () => {
  it("is SESSION_REQUESTS_PER_HOUR, and is named `session` in the headers", async () => {
    const id = randomUUID();
    const first = await limiter.consume(id, "session");
    expect(rateLimitHeaders(first, NOW)).toMatchObject({
      "RateLimit-Policy": '"session";q=2;w=3600',
      RateLimit: `"session";r=1;t=${first.secondsToReset}`,
      "X-RateLimit-Limit": "2",
    });
    expect((await limiter.consume(id, "session")).allowed).toBe(true);
    expect(await limiter.consume(id, "session")).toMatchObject({ allowed: false, remaining: 0, used: 2 });
    expect(await limiter.consume(randomUUID(), "session")).toMatchObject({ allowed: true, used: 1 });
  });
});
