import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import { findSecrets, resetSecrets, watchedOutput } from "./secrets.js";

// All test files and runs on one Redis share an IP address. In an hour, the gateway lets it register ten accounts, and audits
// its first hundred refused sign-ins with a provider. Tests of these limits use addresses of their own.
beforeAll(async () => {
  const url = inject("redisUrl");
  if (url === null) return;
  const redis = new Redis(url);
  const counters = await redis.keys("carbon-gateway:*:127.0.0.1");
  // Counters of an address and an account belong to one test.
  const shared = counters.filter((name) => /^carbon-gateway:[\w-]+(:address)?:127/.test(name));
  if (shared.length > 0) await redis.del(shared);
  await redis.quit();
});

// Searches the logs and standard error of each test file for secrets, and clears the state for the next file.
afterAll(() => {
  const found = findSecrets(watchedOutput());
  resetSecrets();
  vi.unstubAllEnvs();
  expect(found, "secrets in logs or on standard error").toEqual([]);
});
