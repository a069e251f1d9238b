import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { embeddedDatabase } from "../../src/data/database/embedded/embedded.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { createRedisServer } from "./redis-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The migrated, empty database that each test file copies: on a server, or embedded as an archive and a folder. */
    template:
      | { kind: "embedded"; file: string; folder: string }
      | { kind: "postgres"; url: string; name: string };
    redisUrl: string | null;
  }
}

const silent = { statementTimeoutMs: 0, onError: () => undefined };

/** Migrates the template of all test databases: embedded or, with `TEST_SERVICES=1`, on a PostgreSQL server. */
export default async function setup({ provide }: TestProject) {
  // Commands run from the build: transpiling at each start takes three times as long.
  if (process.env["TEST_IS_BUILT"] !== "1") {
    for (const script of ["build:server", "build:console"])
      execFileSync("npm", ["run", "--silent", script], { stdio: "inherit" });
  }
  if (process.env["TEST_SERVICES"] !== "1") {
    const folder = await mkdtemp(join(tmpdir(), "gateway-test-"));
    const pglite = await PGlite.create();
    await migrate(
      embeddedDatabase(pglite, async () => undefined),
      MIGRATIONS_FOLDER,
    );
    const file = join(folder, "template.tar");
    const loadDataDir = await pglite.dumpDataDir("none");
    await writeFile(file, Buffer.from(await loadDataDir.arrayBuffer()));
    await pglite.close();
    const unpacked = join(folder, "postgres");
    await (await PGlite.create(unpacked, { loadDataDir })).close();
    provide("template", { kind: "embedded", file, folder: unpacked });
    provide("redisUrl", null);
    return () => rm(folder, { recursive: true });
  }

  const url = process.env["TEST_DATABASE_URL"] ?? "postgresql://postgres@127.0.0.1:5432/test";
  const name = `gateway_test_${process.pid}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${name}`;
  const template = openPostgres(templateUrl.href, silent);
  await migrate(template, MIGRATIONS_FOLDER);
  await template.close();
  provide("template", { kind: "postgres", url, name });
  // Runs share no counters.
  const redis = await createRedisServer(["--databases", "100"]);
  await redis.start();
  provide("redisUrl", redis.url);
  return async () => {
    const { rows } = await admin.query<{ copy: string }>(
      "SELECT datname AS copy FROM pg_database WHERE starts_with(datname, $1)",
      [name],
    );
    for (const { copy } of rows) await admin.query(`DROP DATABASE ${copy} WITH (FORCE)`);
    await admin.end();
    await redis.kill();
  };
}
