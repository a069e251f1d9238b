import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject } from "vitest";
import { embeddedDatabase } from "../../src/data/database/embedded/embedded.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import type { Database } from "../../src/data/database/types.js";
import { watchListeners } from "./announcements.js";

export interface TestDatabase extends Database {
  /** Of a database on a server; the embedded one has none. */
  readonly url: string | undefined;
  /** Resolves when the gateways of this process have heard of everything that was committed before. */
  heard(): Promise<void>;
}

/** A fresh migrated database of its own for a test file. `close` removes it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const template = inject("template");
  if (template.kind === "embedded") {
    const pglite = await PGlite.create({ loadDataDir: new Blob([await readFile(template.file)]) });
    return embeddedTestDatabase(embeddedDatabase(pglite, async () => undefined));
  }
  const name = `gateway_test_${randomBytes(8).toString("hex")}`;
  const admin = new pg.Client({ connectionString: template.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template.name}`);
  // No test outlives a crash of this server, and so no commit needs to wait for the disk.
  await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  const url = new URL(template.url);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href, { statementTimeoutMs: 5_000, onError: () => undefined });
  const beside = new pg.Client({ connectionString: url.href });
  await beside.connect();
  return {
    ...database,
    ...watchListeners(database, (statement) => beside.query(statement)),
    url: url.href,
    async close() {
      await database.close();
      await beside.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** The embedded database has announced a change before the statement that makes it is answered. */
export function embeddedTestDatabase(database: Database): TestDatabase {
  return { ...database, url: undefined, heard: async () => undefined };
}
