import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject } from "vitest";
import type { Database } from "../../src/data/database/types.js";
import { watchListeners } from "./announcements.js";
import { embeddedDatabase, openPostgres } from "./served.js";

export interface TestDatabase extends Database {
  /** Undefined for the embedded database. */
  readonly url: string | undefined;
  /** Resolves when the gateways of this process have received the announcements of all earlier commits. */
  waitForAnnouncements(): Promise<void>;
}

/** Opens a fresh migrated database for a test file. `close` removes it. */
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
  // No test survives a crash of this server, so no commit needs to wait for the disk.
  await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  const url = new URL(template.url);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href, { statementTimeoutMs: 5_000, onError: () => undefined });
  const notifier = new pg.Client({ connectionString: url.href });
  await notifier.connect();
  return {
    ...database,
    ...watchListeners(database, (statement) => notifier.query(statement)),
    url: url.href,
    async close() {
      await database.close();
      await notifier.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** Creates a database without even the schema on the server of the tests. `close` removes it. */
export async function makeEmptyServerDatabase(
  serverUrl: string,
): Promise<Database & { readonly url: string }> {
  const name = `gateway_test_empty_${randomBytes(8).toString("hex")}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href, { statementTimeoutMs: 0, onError: () => undefined });
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

/** Wraps the embedded database, which announces a change before it answers the statement. */
export function embeddedTestDatabase(database: Database): TestDatabase {
  return { ...database, url: undefined, waitForAnnouncements: async () => undefined };
}
