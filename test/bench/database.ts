import { readFileSync } from "node:fs";
import pg from "pg";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import type { Database } from "../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";

/** Creates a migrated database on the PostgreSQL of TEST_DATABASE_URL; `drop` removes it. */
export async function createScratchDatabase(
  name: string,
): Promise<{ url: string; database: Database; drop: () => Promise<void> }> {
  const server = process.env["TEST_DATABASE_URL"] ?? "postgresql://postgres@127.0.0.1:5432/test";
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href, {
    statementTimeoutMs: 0,
    onError: () => undefined,
  });
  await migrate(database, MIGRATIONS_FOLDER);
  return {
    url: url.href,
    database,
    async drop() {
      await database.close();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Linux's unit of CPU time: 100 ticks a second. */
const TICK_SECONDS = 0.01;

/** Returns the CPU seconds, user and system, of local processes so far. */
export function cpuSecondsOf(processes: readonly { readonly pid: number }[]): number {
  return processes.reduce((sum, { pid }) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return sum + (user + system) * TICK_SECONDS;
  }, 0);
}
