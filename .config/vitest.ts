import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";

const services = process.env["TEST_SERVICES"] === "1";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // Without this two copies of graphql load, and each refuses the other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve("graphql") }] },
  test: {
    // `npm test` runs all but services/. The services run that and whatever a store could change; a file named *.once
    // shows what none can, or what the embedded database alone has.
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", services ? "test/**/*.once.test.ts" : "test/services/**"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/secrecy.ts"],
    pool: "forks",
    // Two processes run all files: what they import is loaded, compiled and warm but once.
    isolate: false,
    maxWorkers: 2,
    // A process of the gateway takes seconds to start, and several times as long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
