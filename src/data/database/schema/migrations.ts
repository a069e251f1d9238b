import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../../../errors.js";
import type { Database, SqlSession } from "../types.js";
import { hiddenTable } from "./serving-role.js";
import { CREATE_ROLE } from "./writing-role.js";

/** The same table as `prisma migrate` uses, so that both work on one database. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** The same lock as `prisma migrate` uses. */
const LOCK = "SELECT pg_advisory_xact_lock(72707369)";

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function readApplied(sql: Pick<SqlSession, "query">): Promise<Map<string, string>> {
  const applied = await sql.query<{ migration_name: string; checksum: string }>(
    `SELECT migration_name, checksum FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return new Map(applied.map((row) => [row.migration_name, row.checksum]));
}

function findPending(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): Migration[] {
  const edited = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (edited) {
    throw new OperatorError(
      `The migration ${edited.name} was edited after it had been applied to this database.`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

/** Time to wait for a locked table. The wait blocks readers of the tables altered so far. */
const LOCK_SECONDS = 3;
/** SQLSTATEs of a lock timeout, and of a deadlock with a transaction that needs a table altered so far. */
const LOCK_FAILURES: readonly unknown[] = ["55P03", "40P01"];

/**
 * Runs the checks and audit entries that rows changed so far wait for, because no table with such rows can be altered.
 * Each script therefore begins as if the one before it had been committed.
 */
const END_WHAT_WAITS = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED";

/**
 * Applies the pending migrations of `folder` in one transaction, then runs `finish` in it, and returns the names of the
 * migrations. A concurrent second process waits, and then finds nothing to do. Throws OperatorError, without any change,
 * if an applied migration was edited, or if a table to alter is locked, for example by an import.
 */
export async function migrate(
  database: Database,
  folder: string,
  finish: (sql: SqlSession) => Promise<void> = async () => undefined,
): Promise<string[]> {
  try {
    return await applyPending(database, folder, finish);
  } catch (error) {
    if (!LOCK_FAILURES.includes((error as { code?: unknown }).code)) throw error;
    const message = `A table that a migration alters was locked for up to ${LOCK_SECONDS} seconds. Nothing was changed: try again when imports, loads and long reads have ended.`;
    throw new OperatorError(message);
  }
}

async function applyPending(
  database: Database,
  folder: string,
  finish: (sql: SqlSession) => Promise<void>,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return database.transaction(async (sql) => {
    await sql.query(LOCK);
    await sql.script(CREATE_TABLE);
    const pending = findPending(await readApplied(sql), migrations);
    // Before the time limit: waits for a first migration of another database, which may take longer.
    if (pending.length === migrations.length) await sql.script(CREATE_ROLE);
    await sql.script(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
    for (const { name, sql: script, checksum } of pending) {
      await sql.script(END_WHAT_WAITS);
      await sql.script(script);
      await sql.query(
        `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count) VALUES ($1, $2, now(), $3, 1)`,
        [randomUUID(), checksum, name],
      );
    }
    await finish(sql);
    return pending.map(({ name }) => name);
  });
}

/** Returns the name of the last migration that was applied to a database. */
export const findLastMigration = async (sql: Pick<SqlSession, "query">): Promise<string> =>
  [...(await readApplied(sql)).keys()].toSorted().at(-1) ?? "";

/** Names of migrations that are only in a folder (`pending`) or only in a database (`unknown`). */
export interface MigrationState {
  readonly pending: readonly string[];
  /** Applied by a later version of the gateway. */
  readonly unknown: readonly string[];
}

/**
 * Compares a database with `folder`. Throws OperatorError if an applied migration was edited, or if this connection's
 * role may not read which were applied.
 */
export async function compareMigrations(database: Database, folder: string): Promise<MigrationState> {
  const migrations = await readMigrations(folder);
  const applied = await database.transaction(async (sql) => {
    const [table] = await sql.query<{ found: boolean; canRead: boolean; role: string }>(
      `SELECT id IS NOT NULL AS found, coalesce(to_regclass(name) IS NOT NULL AND has_table_privilege(id, 'SELECT'), false)
         AS "canRead", quote_ident(current_user) AS role
       FROM (VALUES ('_prisma_migrations')) AS t (name),
         LATERAL (SELECT coalesce(to_regclass(name), ${hiddenTable("name")}) AS id) AS found`,
    );
    if (!table?.found) return new Map<string, string>();
    if (table.canRead) return readApplied(sql);
    const { role } = table;
    throw new OperatorError(
      `The role ${role} may not read the gateway's tables. As their owner, run: npm run gateway -- migrate --grant-to ${role}`,
    );
  });
  const known = new Set(migrations.map(({ name }) => name));
  return {
    pending: findPending(applied, migrations).map(({ name }) => name),
    unknown: [...applied.keys()].filter((name) => !known.has(name)),
  };
}

/** Throws OperatorError if a migration of `folder` is pending, with the command to run, or was edited once applied. */
export async function requireMigrated(database: Database, folder: string): Promise<void> {
  const { pending } = await compareMigrations(database, folder);
  if (pending.length > 0) throw new OperatorError(describePending(pending));
}

/** Returns a message with the pending migrations, and the command that applies them. */
function describePending(pending: readonly string[]): string {
  const count = pending.length === 1 ? "a migration" : `${pending.length} migrations`;
  const names = pending.length <= 3 ? pending : [pending[0], "…", pending.at(-1)];
  return `The database lacks ${count} (${names.join(", ")}). Run: npm run gateway -- migrate`;
}
