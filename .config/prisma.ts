import { defineConfig } from "prisma/config";

// `generate` does not use the native schema engine, but Prisma downloads one unless it gets a path.
if (process.argv.includes("generate")) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "../prisma/schema.prisma",
  migrations: { path: "../prisma/migrations" },
});
