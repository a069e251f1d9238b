import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";

const services = process.env["TEST_SERVICES"] === "1";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // Without this alias two copies of graphql load, and each rejects the other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve("graphql") }] },
  test: {
    // `npm test` runs everything but test/services. The run on PostgreSQL and Redis leaves out *.once.test.ts: tests whose
    // outcome no store can change, and tests of the embedded database itself.
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", services ? "test/**/*.once.test.ts" : "test/services/**"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/secrecy.ts"],
    pool: "forks",
    // Two processes share all files, so each loads the sources and their dependencies once.
    isolate: false,
    maxWorkers: 2,
    // A process of the gateway takes seconds to start, and several times as long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
