import { afterAll, expect, vi } from "vitest";
import { allHeard, findSecrets, forgetHeard } from "./heard.js";

// After each test file, searches its gateways' logs and its commands' standard error for secrets. Then it clears what the
// next file in the same process must not see.
afterAll(() => {
  const found = findSecrets(allHeard());
  forgetHeard();
  vi.unstubAllEnvs();
  expect(found, "secrets in logs or on standard error").toEqual([]);
});
