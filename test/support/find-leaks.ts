import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import { findSecrets, resetSecrets, watchedOutput } from "./secrets.js";

// All test files and runs on one Redis share an IP address, from which only ten accounts an hour may be registered.
beforeAll(async () => {
  const url = inject("redisUrl");
  if (url === null) return;
  const redis = new Redis(url);
  await redis.del("carbon-gateway:registrations:127.0.0.1");
  await redis.quit();
});

// Searches the logs and standard error of each test file for secrets, and clears the state for the next file.
afterAll(() => {
  const found = findSecrets(watchedOutput());
  resetSecrets();
  vi.unstubAllEnvs();
  expect(found, "secrets in logs or on standard error").toEqual([]);
});
