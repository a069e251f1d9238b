import type { Config } from "../../config.js";
import { openDatabase } from "../../data/database/open.js";
import {
  type Rights,
  readRights,
  readServerState,
  type ServerState,
} from "../../data/database/server-state.js";
import type { Database } from "../../data/database/types.js";
import { STATEMENT_TIMEOUT_MS } from "../serve.js";
import { examineContent } from "./content.js";
import { attempt, compareClocks, type Finding, fail, ok, reasonOf, warn } from "./finding.js";
import { examineFolder } from "./folder.js";

const OLDEST_VERSION = 150_000;

/** Whether the database can be served from: on a server, or embedded. */
export async function examineDatabase(config: Config, clock: () => Date): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return examineServer(config, clock);
  const { finding, isThere } = await examineFolder(config.dataDir);
  return isThere && finding.status === "ok"
    ? [finding, ...(await examineEmbedded(config, clock))]
    : [finding];
}

/** Opens the database as `serve` does. */
function open({ databaseUrl: url, databaseDirectUrl: directUrl, dataDir }: Config): Promise<Database> {
  return openDatabase({
    ...{ url, directUrl, dataDir, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    onError: () => undefined,
    onLost: (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  });
}

async function examineServer(config: Config, clock: () => Date): Promise<Finding[]> {
  const database = await open(config);
  const found: Finding[] = [];
  try {
    // Once before, so that connecting does not count as the clock's fault.
    await readServerState(database);
    const asked = clock().getTime();
    const state = await readServerState(database);
    const { version, versionNumber, isStandby, now } = state;
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
      ...(config.databaseDirectUrl === undefined
        ? []
        : [examineLimit(state), examineSettings(state), await examineDirect(config, state)]),
    );
  } catch (error) {
    found.push(
      fail(
        "database",
        `PostgreSQL cannot be asked: ${reasonOf(error)}.`,
        /startup parameter/.test(reasonOf(error))
          ? "That is what a pooler says: set DATABASE_DIRECT_URL to PostgreSQL itself, beside DATABASE_URL."
          : "Start it, or set DATABASE_URL to where it is, with its user, password and database.",
      ),
    );
    await database.close();
    return found;
  }
  try {
    found.push(
      ...(await attempt("database role", async () => examineRights(await readRights(database)))),
      ...(await examineContent(database, config, clock(), "Run: npm run gateway -- migrate")),
    );
    return found;
  } finally {
    await database.close();
  }
}

/** Poolers take no limit from their clients, so that the role has to have it. */
function examineLimit({ statementTimeoutMs }: ServerState): Finding {
  const check = "statement limit";
  if (statementTimeoutMs > 0) return ok(check, `PostgreSQL ends a statement after ${statementTimeoutMs} ms.`);
  return warn(
    check,
    "Behind a pooler PostgreSQL goes on with statements that nobody waits for any more.",
    `As a superuser: ALTER ROLE … SET statement_timeout = '${STATEMENT_TIMEOUT_MS}ms', with the role that the gateway serves as.`,
  );
}

/** Nor do they take settings, without which dates and numbers come as the database or the role has it. */
function examineSettings({ dateStyle, extraFloatDigits }: ServerState): Finding {
  const check = "session settings";
  const message = `DateStyle is ${dateStyle}, and extra_float_digits is ${extraFloatDigits}.`;
  if (dateStyle.startsWith("ISO") && extraFloatDigits >= 1) return ok(check, message);
  return fail(
    check,
    message,
    "As a superuser: ALTER ROLE … SET DateStyle = 'ISO', and SET extra_float_digits = 1, with the role that the gateway serves as.",
  );
}

/** Whether DATABASE_DIRECT_URL leads to the database that was found by DATABASE_URL. */
async function examineDirect(config: Config, pooled: ServerState): Promise<Finding> {
  const check = "direct connection";
  const mend =
    "Set DATABASE_DIRECT_URL to the PostgreSQL behind the pooler, with the same database and a role of it.";
  const database = await open({
    ...config,
    databaseUrl: config.databaseDirectUrl,
    databaseDirectUrl: undefined,
  });
  try {
    const { databaseName, startedAt } = await readServerState(database);
    if (databaseName === pooled.databaseName && startedAt === pooled.startedAt)
      return ok(check, "DATABASE_DIRECT_URL leads to the same database.");
    const where =
      databaseName === pooled.databaseName ? "another server" : `another database (${databaseName})`;
    return fail(
      check,
      `DATABASE_DIRECT_URL leads to ${where} than DATABASE_URL (${pooled.databaseName}).`,
      mend,
    );
  } catch (error) {
    return fail(check, `DATABASE_DIRECT_URL does not lead there: ${reasonOf(error)}.`, mend);
  } finally {
    await database.close();
  }
}

async function examineEmbedded(config: Config, clock: () => Date): Promise<Finding[]> {
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
      ...(await examineContent(database, config, clock(), next)),
    ];
  } catch (error) {
    return [fail("database", reasonOf(error), "Put the folder right, or restore it from a copy.")];
  } finally {
    await database.close();
  }
}

function examineRights({ role, isSuperuser, unreadable, canTouch, owned, writable }: Rights): Finding[] {
  const check = "database role";
  const mend =
    "Let the gateway serve as a role that may only read: see Roles of PostgreSQL in docs/operations.md. migrate and the other commands need the owner.";
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
