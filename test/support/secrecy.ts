import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import { allHeard, findSecrets, forgetHeard } from "./heard.js";

// Ten accounts an hour may be registered from one address, and all files and runs on one Redis call from the same.
beforeAll(async () => {
  const url = inject("redisUrl");
  if (url === null) return;
  const redis = new Redis(url);
  await redis.del("carbon-gateway:registrations:127.0.0.1");
  await redis.quit();
});

// After each test file, searches its gateways' logs and its commands' standard error for secrets. Then it clears what the
// next file in the same process must not see.
afterAll(() => {
  const found = findSecrets(allHeard());
  forgetHeard();
  vi.unstubAllEnvs();
  expect(found, "secrets in logs or on standard error").toEqual([]);
});
