import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";

const services = process.env["TEST_SERVICES"] === "1";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // Without this two copies of graphql load, and each refuses the other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve("graphql") }] },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: services ? ["node_modules"] : ["node_modules", "test/services/**"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/secrecy.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
