import { afterAll, expect, vi } from "vitest";
import { allHeard, findSecrets, forgetHeard } from "./heard.js";

// After every test file: what its gateways logged and its commands wrote to standard error is searched for secrets, and
// nothing of it is left to the file that runs next in the same process.
afterAll(() => {
  const found = findSecrets(allHeard());
  forgetHeard();
  vi.unstubAllEnvs();
  expect(found, "secrets in logs or on standard error").toEqual([]);
});
