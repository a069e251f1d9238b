import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";

/** The part of `WebAssembly` used in this file. @types/node leaves it to the DOM's types. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

const require = createRequire(import.meta.url);

/** Returns the SQL that turns the database of `adapter` (or an empty one) into prisma/schema.prisma. */
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

/** Instantiates the engine's module, because Node.js 20 cannot import `.wasm`. */
async function startEngine(
  adapter: SqlMigrationAwareDriverAdapterFactory,
  schema: { path: string; content: string },
) {
  const script = require.resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  // Each engine needs a new module: a shared one would keep the memory of the previous engine.
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
