import { afterAll, expect } from "vitest";
import { allHeard, findSecrets } from "./heard.js";

// For every test file: what its gateways logged, and its commands wrote to standard error, is read for secrets.
afterAll(() => {
  expect(findSecrets(allHeard()), "secrets in logs or on standard error").toEqual([]);
});
