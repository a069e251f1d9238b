import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { redisUrl } from "./redis-url.js";
import { findSecrets, resetSecrets, watchedOutput } from "./secrets.js";

// No test file finds the counters of another.
beforeAll(async () => {
  if (redisUrl === null) return;
  const redis = new Redis(redisUrl);
  await redis.flushdb();
  await redis.quit();
});

// Searches the logs and standard error of each test file for secrets, and clears the state for the next file.
afterAll(() => {
  const found = findSecrets(watchedOutput());
  resetSecrets();
  vi.unstubAllEnvs();
  expect(found, "secrets in logs or on standard error").toEqual([]);
});
