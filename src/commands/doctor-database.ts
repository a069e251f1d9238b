import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config.js";
import { hearsItself, type Rights, readRights, readServerState } from "../data/condition.js";
import { type Database, openDatabase } from "../data/database.js";
import { sampleEmissionDays } from "../data/emission-days.js";
import { findHolder } from "../data/folder-lock.js";
import { compareMigrations } from "../data/migrations.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { compareClocks, type Finding, fail, ok, reasonOf, warn } from "./doctor-finding.js";
import { STATEMENT_TIMEOUT_MS } from "./serve.js";

const OLDEST_VERSION = 150_000;
const ECHO_MS = 2_000;

/** Whether the database can be served from: on a server, or embedded. */
export async function examineDatabase(config: Config, clock: () => Date): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return examineServer(config, clock);
  const { finding, isThere } = await examineFolder(config.dataDir);
  return isThere && finding.status === "ok" ? [finding, ...(await examineEmbedded(config))] : [finding];
}

/** Opens the database as `serve` does. */
function open({ databaseUrl: url, dataDir }: Config): Promise<Database> {
  return openDatabase({
    ...{ url, dataDir, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    onError: () => undefined,
    onLockLost: () => undefined,
  });
}

async function examineServer(config: Config, clock: () => Date): Promise<Finding[]> {
  const database = await open(config);
  const found: Finding[] = [];
  try {
    // Once before, so that connecting does not count as the clock's fault.
    await readServerState(database);
    const asked = clock().getTime();
    const { version, versionNumber, isStandby, now } = await readServerState(database);
    const times = { time: now.getTime(), asked, answered: clock().getTime() };
    const { hostname, port, pathname } = new URL(config.databaseUrl ?? "");
    const place = `${hostname}${port && `:${port}`}${pathname}`;
    found.push(
      isStandby
        ? fail(
            "database",
            `${place} answers, and is a standby: it tells of no change and takes no writes.`,
            "Set DATABASE_URL to the primary.",
          )
        : ok("database", `${place} answers.`),
      versionNumber < OLDEST_VERSION
        ? fail("database version", `PostgreSQL is ${version}.`, "Use PostgreSQL 15 or later.")
        : ok("database version", `PostgreSQL is ${version}.`),
      compareClocks("PostgreSQL", times),
    );
  } catch (error) {
    found.push(
      fail(
        "database",
        `PostgreSQL cannot be asked: ${reasonOf(error)}.`,
        "Start it, or set DATABASE_URL to where it is, with its user, password and database.",
      ),
    );
    await database.close();
    return found;
  }
  try {
    found.push(
      ...(await attempt("database role", async () => examineRights(await readRights(database)))),
      ...(await examineContent(database, "Run: npm run gateway -- migrate")),
    );
    return found;
  } finally {
    await database.close();
  }
}

async function examineEmbedded(config: Config): Promise<Finding[]> {
  let database: Database;
  try {
    database = await open(config);
  } catch (error) {
    return [fail("database", reasonOf(error), "Put the folder right, or restore it from a copy.")];
  }
  try {
    const { version } = await readServerState(database);
    const next = "The next start of the gateway applies them.";
    return [
      ok("database", `The embedded database opens; it is PostgreSQL ${version}.`),
      ...(await examineContent(database, next)),
    ];
  } catch (error) {
    return [fail("database", reasonOf(error), "Put the folder right, or restore it from a copy.")];
  } finally {
    await database.close();
  }
}

/** What is the same of both: migrations, messages and sums. */
async function examineContent(database: Database, mendMigrations: string): Promise<Finding[]> {
  const migrations = await attempt("migrations", async () => {
    const { pending, unknown } = await compareMigrations(database, MIGRATIONS_FOLDER);
    if (pending.length > 0)
      return [fail("migrations", `The database lacks ${pending.join(", ")}.`, mendMigrations)];
    if (unknown.length === 0) return [ok("migrations", "All are applied.")];
    return [
      warn(
        "migrations",
        `The database has been migrated by a later version: ${unknown.join(", ")}.`,
        "Run that version here too.",
      ),
    ];
  });
  const isMigrated = migrations.every(({ status }) => status !== "failure");
  const messages = await attempt("change notifications", async () => [
    (await hearsItself(database, ECHO_MS))
      ? ok("change notifications", "What NOTIFY sends is heard.")
      : fail(
          "change notifications",
          "What NOTIFY sends is not heard: gateways would go on answering from memory after a change, and let revoked keys in.",
          "Connect to PostgreSQL itself, or by a pooler that keeps sessions: one that pools transactions (PgBouncer's pool_mode) cannot pass messages on.",
        ),
  ]);
  return [
    ...migrations,
    ...messages,
    ...(isMigrated ? await attempt("sums", () => examineSums(database)) : []),
  ];
}

async function examineSums(database: Database): Promise<Finding[]> {
  const differing = await sampleEmissionDays(database);
  if (differing.length === 0)
    return [ok("sums", "A sample of them agrees with the records; verify compares all.")];
  const names = differing.slice(0, 5).join(", ");
  return [
    fail(
      "sums",
      `The sums of ${differing.length} organizations differ from their records: ${names}${differing.length > 5 ? ", …" : ""}.`,
      "Run: npm run gateway -- verify, and with --repair to put them right.",
    ),
  ];
}

function examineRights({ role, isSuperuser, unreadable, canTouch, owned, writable }: Rights): Finding[] {
  const check = "database role";
  const mend =
    "Let the gateway serve as a role that may only read: see Security in the README. migrate and the other commands need the owner.";
  if (unreadable.length > 0) {
    return [
      fail(
        check,
        `${role} may not read ${unreadable.join(", ")}.`,
        `As the owner: GRANT SELECT ON ${unreadable.join(", ")} TO ${role}`,
      ),
    ];
  }
  const found: Finding[] = [];
  if (!canTouch) {
    found.push(
      warn(
        check,
        `${role} may not note when a key was last used.`,
        `As the owner: GRANT UPDATE (last_used_at) ON api_keys TO ${role}`,
      ),
    );
  }
  if (isSuperuser) found.push(warn(check, `${role} is a superuser.`, mend));
  else if (owned.length > 0) found.push(warn(check, `${role} owns the tables.`, mend));
  else if (writable.length > 0) found.push(warn(check, `${role} may write ${writable.join(", ")}.`, mend));
  return found.length > 0 ? found : [ok(check, `${role} may read what serving needs, and no more.`)];
}

/** The folder of an embedded database, as far as it can be told without touching it. */
async function examineFolder(dataDir: string): Promise<{ finding: Finding; isThere: boolean }> {
  const check = "data folder";
  const mend = "Choose a folder that this user can write, or set DATABASE_URL.";
  const kind = await kindOf(dataDir);
  const isThere = kind === "folder" && (await kindOf(join(dataDir, "postgres"))) === "folder";
  if (kind === "file")
    return { finding: fail(check, `DATA_DIR (${dataDir}) is not a folder.`, mend), isThere };
  const nearest = kind === "folder" ? dataDir : await findParent(resolve(dataDir));
  try {
    if ((await kindOf(nearest)) !== "folder") throw new Error(`${nearest} is not a folder`);
    await access(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    return {
      finding: fail(check, `DATA_DIR (${dataDir}) cannot be written: ${reasonOf(error)}.`, mend),
      isThere,
    };
  }
  if (kind === "absent") {
    return {
      finding: ok(check, `DATA_DIR (${dataDir}) is not there yet; the first start makes it.`),
      isThere,
    };
  }
  const holder = await findHolder(dataDir);
  if (holder !== null) {
    const finding = warn(
      check,
      `DATA_DIR (${dataDir}) is held by ${holder}, so the database in it was not examined.`,
      "That is as it should be while the gateway serves. Otherwise stop that process, or choose another folder.",
    );
    return { finding, isThere };
  }
  const what = isThere ? "can be written, and nobody holds it" : "can be written, and holds no database yet";
  return { finding: ok(check, `DATA_DIR (${dataDir}) ${what}.`), isThere };
}

async function kindOf(path: string): Promise<"folder" | "file" | "absent"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return "absent";
  }
}

/** The nearest of those above a path that is there. */
async function findParent(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path || (await kindOf(parent)) !== "absent" ? parent : findParent(parent);
}

async function attempt(check: string, examineIt: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await examineIt();
  } catch (error) {
    return [
      fail(check, `This could not be examined: ${reasonOf(error)}.`, "Mend what it says, and examine again."),
    ];
  }
}
