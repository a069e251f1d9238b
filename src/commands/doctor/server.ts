import type { Config } from "../../config.js";
import { readRights, readServerState, type ServerState } from "../../data/database/server-state.js";
import type { Database } from "../../data/database/types.js";
import { STATEMENT_TIMEOUT_MS } from "../serve/serve.js";
import { examineContent } from "./content.js";
import { attempt, compareClocks, type Finding, fail, ok, reasonOf, warn } from "./finding.js";
import { open } from "./open.js";
import { examineRights } from "./role.js";

const OLDEST_VERSION = 150_000;

/** Checks a PostgreSQL server: version, clock, settings behind a pooler, role and content. */
export async function examineServer(config: Config, clock: () => Date): Promise<Finding[]> {
  const database = await open(config);
  try {
    let found: Finding[];
    try {
      found = await examineState(database, config, clock);
    } catch (error) {
      return [describeUnreachable(error)];
    }
    return [
      ...found,
      ...(await attempt("database role", async () => examineRights(await readRights(database)))),
      ...(await examineContent(database, config, clock(), "Run: npm run gateway -- migrate")),
    ];
  } finally {
    await database.close();
  }
}

async function examineState(database: Database, config: Config, clock: () => Date): Promise<Finding[]> {
  // The first read also connects, which would count as a difference between the clocks.
  await readServerState(database);
  const asked = clock().getTime();
  const state = await readServerState(database);
  const { version, versionNumber, isStandby, now } = state;
  const times = { time: now.getTime(), asked, answered: clock().getTime() };
  const { hostname, port, pathname } = new URL(config.databaseUrl ?? "");
  const place = `${hostname}${port && `:${port}`}${pathname}`;
  return [
    isStandby
      ? fail(
          "database",
          `${place} is a standby, which accepts no writes and sends no notifications.`,
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
    ...(await Promise.all(config.databaseReplicaUrls.map((url) => examineReplica(config, url, state)))),
  ];
}

/** Checks that a replica can be reached, is a standby of the primary and is not too far behind. */
async function examineReplica(config: Config, url: string, primary: ServerState): Promise<Finding> {
  const place = new URL(url).host;
  const check = `replica ${place}`;
  const database = await open({ ...config, databaseUrl: url });
  try {
    const { isStandby, systemId, databaseName, lagMs } = await readServerState(database);
    if (systemId !== primary.systemId || databaseName !== primary.databaseName)
      return fail(
        check,
        `${place} has another database than DATABASE_URL.`,
        "Name streaming replicas of the primary in DATABASE_REPLICA_URLS, with the same database.",
      );
    if (!isStandby)
      return warn(
        check,
        `${place} is not a standby, so it answers no reads.`,
        "Make it a replica of the primary again, or remove it from DATABASE_REPLICA_URLS.",
      );
    const lag = `It is ${lagMs} ms behind the primary.`;
    return lagMs <= config.databaseReplicaMaxLagMs
      ? ok(check, lag)
      : warn(
          check,
          `${lag} Beyond ${config.databaseReplicaMaxLagMs} ms it answers no reads.`,
          "Find out why it is slow, or set DATABASE_REPLICA_MAX_LAG_MS to more.",
        );
  } catch (error) {
    return warn(
      check,
      `Cannot query ${place}: ${reasonOf(error)}.`,
      "Start it, or remove it from DATABASE_REPLICA_URLS. The primary answers its reads until then.",
    );
  } finally {
    await database.close();
  }
}

function describeUnreachable(error: unknown): Finding {
  return fail(
    "database",
    `Cannot query PostgreSQL: ${reasonOf(error)}.`,
    /startup parameter/.test(reasonOf(error))
      ? "DATABASE_URL seems to lead to a pooler: set DATABASE_DIRECT_URL to PostgreSQL itself as well."
      : "Start PostgreSQL, or correct DATABASE_URL: address, user, password and database.",
  );
}

/** Checks the statement limit of the role, because a pooler passes on none from its clients. */
function examineLimit({ statementTimeoutMs }: ServerState): Finding {
  const check = "statement limit";
  if (statementTimeoutMs > 0) return ok(check, `PostgreSQL ends a statement after ${statementTimeoutMs} ms.`);
  return warn(
    check,
    "Behind a pooler, PostgreSQL continues statements after their clients have given up.",
    `As a superuser, for the role of the gateway: ALTER ROLE … SET statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'`,
  );
}

/** Checks the role's settings for the format of dates and numbers, because a pooler does not pass them on, either. */
function examineSettings({ dateStyle, extraFloatDigits }: ServerState): Finding {
  const check = "session settings";
  const message = `DateStyle is ${dateStyle}, and extra_float_digits is ${extraFloatDigits}.`;
  if (dateStyle.startsWith("ISO") && extraFloatDigits >= 1) return ok(check, message);
  return fail(
    check,
    message,
    "As a superuser, for the role of the gateway: ALTER ROLE … SET DateStyle = 'ISO' and ALTER ROLE … SET extra_float_digits = 1",
  );
}

/** Checks that DATABASE_DIRECT_URL and DATABASE_URL lead to the same database. */
async function examineDirect(config: Config, pooled: ServerState): Promise<Finding> {
  const check = "direct connection";
  const mend =
    "Set DATABASE_DIRECT_URL to the PostgreSQL server behind the pooler, with the same database and one of its roles.";
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
    return fail(check, `Cannot connect to DATABASE_DIRECT_URL: ${reasonOf(error)}.`, mend);
  } finally {
    await database.close();
  }
}
