import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject } from "vitest";
import type { Database } from "../../src/data/database.js";
import { embeddedDatabase } from "../../src/data/embedded.js";
import { openPostgres } from "../../src/data/postgres.js";

export interface TestDatabase extends Database {
  /** Of a database on a server; the embedded one has none. */
  readonly url: string | undefined;
}

/** A fresh migrated database of its own for a test file. `close` removes it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const template = inject("template");
  if (template.kind === "embedded") {
    const pglite = await PGlite.create({ loadDataDir: new Blob([await readFile(template.file)]) });
    return { ...embeddedDatabase(pglite, async () => undefined), url: undefined };
  }
  const name = `gateway_test_${randomBytes(8).toString("hex")}`;
  const admin = new pg.Client({ connectionString: template.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template.name}`);
  const url = new URL(template.url);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href, { statementTimeoutMs: 5_000, onError: () => undefined });
  return {
    ...database,
    url: url.href,
    async close() {
      await database.close();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
