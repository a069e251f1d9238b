import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";
import { TestOrder } from "./test-order.js";

const services = process.env["TEST_SERVICES"] === "1";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // Without this alias two copies of graphql load, and each rejects the other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve("graphql") }] },
  test: {
    // The name of a file says on which stores CI runs it. *.once.test.ts: on the embedded database, as no store can change
    // the outcome, or as it is about that database itself. *.both.test.ts: also on PostgreSQL and Redis, as it covers a way
    // in which they differ. All others: on PostgreSQL and Redis. `npm run test:embedded` runs all but test/services.
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", services ? "test/**/*.once.test.ts" : "test/services/**"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/find-leaks.ts"],
    pool: "forks",
    // Two processes share all files, so each loads the sources and their dependencies once.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: TestOrder },
    // A process of the gateway takes seconds to start, and several times as long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
