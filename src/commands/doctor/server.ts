import type { Config } from "../../config.js";
import { readRights } from "../../data/database/schema/serving-role.js";
import { findTlsRemedy } from "../../data/database/server/tls.js";
import { readServerState, type ServerState } from "../../data/database/server-state.js";
import type { Database } from "../../data/database/types.js";
import { STATEMENT_TIMEOUT_MS } from "../serve/serve.js";
import { examineContent } from "./content.js";
import { attempt, compareClocks, type Finding, fail, ok, reasonOf, warn } from "./finding.js";
import { open } from "./open.js";
import { examineRights } from "./role.js";

const OLDEST_VERSION = 150_000;

/** Checks a PostgreSQL server: version, clock, settings if behind a pooler, replicas, role and content. */
export async function examineServer(config: Config, clock: () => Date): Promise<Finding[]> {
  const database = await open(config);
  try {
    let found: Finding[];
    try {
      found = await examineState(database, config, clock);
    } catch (error) {
      return [describeUnreachable(error, config)];
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
  // The first read also connects, and would distort the comparison of the clocks.
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
          `${place} is a standby, which cannot accept writes or send notifications.`,
          "Set DATABASE_URL to the primary.",
        )
      : ok("database", `${place} is reachable.`),
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

/** Checks that a replica is reachable, is a standby of the primary and is not too far behind. */
async function examineReplica(config: Config, url: string, primary: ServerState): Promise<Finding> {
  const place = new URL(url).host;
  const check = `replica ${place}`;
  const database = await open({ ...config, databaseUrl: url });
  try {
    const { isStandby, systemId, databaseName, lagMs } = await readServerState(database);
    if (systemId !== primary.systemId || databaseName !== primary.databaseName)
      return fail(
        check,
        `${place} is not a replica of the database in DATABASE_URL.`,
        "List only streaming replicas of the primary in DATABASE_REPLICA_URLS, with the same database.",
      );
    if (!isStandby)
      return warn(
        check,
        `${place} is not a standby, so the gateway does not read from it.`,
        "Make it a replica of the primary again, or remove it from DATABASE_REPLICA_URLS.",
      );
    const lag = `It is ${lagMs} ms behind the primary.`;
    return lagMs <= config.databaseReplicaMaxLagMs
      ? ok(check, lag)
      : warn(
          check,
          `${lag} Above ${config.databaseReplicaMaxLagMs} ms, the gateway does not read from it.`,
          "Find out why it lags, or increase DATABASE_REPLICA_MAX_LAG_MS.",
        );
  } catch (error) {
    return warn(
      check,
      `Cannot query ${place}: ${reasonOf(error)}.`,
      findTlsRemedy(error, [url]) ??
        "Start it, or remove it from DATABASE_REPLICA_URLS. Until then, the gateway does not read from it.",
    );
  } finally {
    await database.close();
  }
}

function describeUnreachable(error: unknown, { databaseUrl, databaseDirectUrl }: Config): Finding {
  return fail(
    "database",
    `Cannot query PostgreSQL: ${reasonOf(error)}.`,
    isOfPooler(error)
      ? "DATABASE_URL seems to point to a pooler: also set DATABASE_DIRECT_URL to PostgreSQL itself."
      : (findTlsRemedy(error, [databaseUrl, databaseDirectUrl]) ??
          "Start PostgreSQL, or correct DATABASE_URL: address, user, password and database."),
  );
}

/** PostgreSQL's codes for a prepared statement that does not exist or already exists. */
const MIXED_UP = ["26000", "42P05"];

/** True if only a transaction pooler fails like this: it refuses settings, and mixes up prepared statements. */
const isOfPooler = (error: unknown) =>
  /startup parameter/.test(reasonOf(error)) || MIXED_UP.includes(String((error as { code?: unknown }).code));

/** Checks the role's statement limit, because a pooler does not forward the limits of its clients. */
function examineLimit({ statementTimeoutMs }: ServerState): Finding {
  const check = "statement limit";
  if (statementTimeoutMs > 0)
    return ok(check, `PostgreSQL cancels statements after ${statementTimeoutMs} ms.`);
  return warn(
    check,
    "Behind a pooler, PostgreSQL keeps running statements after their clients have given up.",
    `As a superuser, for the role of the gateway: ALTER ROLE … SET statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'`,
  );
}

/** Checks the role's formats of dates and numbers, because a pooler does not forward these settings either. */
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

/** Checks that DATABASE_DIRECT_URL and DATABASE_URL point to the same database. */
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
      return ok(check, "DATABASE_DIRECT_URL points to the same database.");
    const where =
      databaseName === pooled.databaseName ? "a different server" : `a different database (${databaseName})`;
    return fail(
      check,
      `DATABASE_DIRECT_URL points to ${where} than DATABASE_URL (${pooled.databaseName}).`,
      mend,
    );
  } catch (error) {
    const message = `Cannot connect to DATABASE_DIRECT_URL: ${reasonOf(error)}.`;
    return fail(check, message, findTlsRemedy(error, [config.databaseDirectUrl]) ?? mend);
  } finally {
    await database.close();
  }
}
