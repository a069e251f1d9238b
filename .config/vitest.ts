import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";
import { TestOrder } from "./test-order.js";

const services = process.env["TEST_SERVICES"] === "1";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // Without this alias, two copies of graphql would load, and each would reject the other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve("graphql") }] },
  test: {
    // The file name decides on which stores CI runs a test. *.once.test.ts: on the embedded database, because the store does
    // not matter or is the subject. *.both.test.ts: also on PostgreSQL and Redis, because the stores differ. All others: on
    // PostgreSQL and Redis. `npm run test:embedded` runs all but test/services.
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", services ? "test/**/*.once.test.ts" : "test/services/**"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/find-leaks.ts"],
    pool: "forks",
    // Two processes share all files, and each loads the sources and their dependencies once.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: TestOrder },
    // Starting a gateway takes seconds, and several times as long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
