import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";

/** The little that is used of what @types/node leaves to the DOM's types. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

const require = createRequire(import.meta.url);

/** The SQL that turns the database behind `adapter` (or an empty one) into what prisma/schema.prisma says. */
export async function schemaDiff(
  adapter: SqlMigrationAwareDriverAdapterFactory,
  from: "empty" | "database",
): Promise<string> {
  const path = "prisma/schema.prisma";
  const schema = { path, content: await readFile(path, "utf8") };
  const engine = await startEngine(adapter, schema);
  const { stdout } = await engine.diff({
    from:
      from === "empty" ? { tag: "empty" } : { tag: "schemaDatasource", files: [schema], configDir: "prisma" },
    to: { tag: "schemaDatamodel", files: [schema] },
    script: true,
    exitCode: null,
    filters: { externalTables: ["public._prisma_migrations"], externalEnums: [] },
  });
  return stdout ?? "";
}

/** Node 20 cannot import `.wasm`, so the engine's module is instantiated here. */
async function startEngine(
  adapter: SqlMigrationAwareDriverAdapterFactory,
  schema: { path: string; content: string },
) {
  const script = require.resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  // A module of its own for each engine: the same one would go on with the memory of the engine before.
  const engine: typeof import("@prisma/schema-engine-wasm/schema_engine_bg") = await import(
    /* @vite-ignore */ `${pathToFileURL(script).href}?${randomUUID()}`
  );
  const bytes = await readFile(script.replace(/\.js$/, ".wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, { "./schema_engine_bg.js": engine });
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports["__wbindgen_start"] as () => void)();
  return engine.SchemaEngine.new(
    { datamodels: [[schema.path, schema.content]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
}
