import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";
import { TestOrder } from "./test-order.js";

const services = process.env["TEST_SERVICES"] === "1";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // Without this alias, two copies of graphql would load, and each would reject the other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve("graphql") }] },
  test: {
    // CI chooses the stores of a test by its file name. *.once.test.ts: the embedded database, because the store does
    // not matter or the test is about that store. *.both.test.ts: also PostgreSQL and Redis, because the stores differ.
    // All others: PostgreSQL and Redis. `npm run test:embedded` runs all but test/services.
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", services ? "test/**/*.once.test.ts" : "test/services/**"],
    globalSetup: ["test/support/global-setup.ts", "test/support/described-setup.ts"],
    setupFiles: ["test/support/find-leaks.ts"],
    // The built server is loaded as Node.js loads it for users.
    server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
    pool: "forks",
    execArgv: ["--enable-source-maps"],
    // Two processes divide the files between them, and each loads the sources and their dependencies once.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: TestOrder },
    // Starting a gateway takes seconds, and several times as long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // By default, a poll fails after a second, which a busy machine may need for a single request.
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
