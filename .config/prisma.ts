import { defineConfig } from "prisma/config";

// `generate` does not use the native schema engine, but the command line fetches one unless it is told of a file.
if (process.argv.includes("generate")) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "../prisma/schema.prisma",
  migrations: { path: "../prisma/migrations" },
});
