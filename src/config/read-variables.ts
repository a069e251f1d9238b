import { readFileSync } from "node:fs";
import { findClosest } from "../domain/texts/closest.js";
import { NOT_ENCODED, VARIABLES, type Variables } from "./variables.js";

/** Problem with a variable, without its value, which may be a secret. */
export interface ConfigProblem {
  readonly variable: keyof Variables;
  /** The variable that was set instead: a misspelled one, or the one with `_FILE` after its name. */
  readonly given?: string;
  readonly text: string;
}

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables without white space around them, such as the line break of a secret's file. The value of one with
 * `_FILE` after its name, such as `KEY_PEPPER_FILE`, is in the file that it names.
 */
export function readVariables(given: Environment) {
  const environment: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value?.trim()]),
  );
  const problems: ConfigProblem[] = [];
  for (const variable of Object.keys(VARIABLES) as (keyof Variables)[]) {
    const file = environment[`${variable}_FILE`];
    if (!file) continue;
    if (environment[variable])
      problems.push({ variable, text: `${variable} and ${variable}_FILE must not both be set` });
    const given = `${variable}_FILE`;
    try {
      environment[variable] ||= readFileSync(file, "utf8").trim();
      // The file of a secret that was never written must not start a gateway without the secret.
      if (!environment[variable]) problems.push({ variable, given, text: `${given} names an empty file` });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.push({ variable, given, text: `${given} must name a file that this user can read (${code})` });
    }
  }
  return { environment, problems };
}

const NAMES = Object.keys(VARIABLES).flatMap((name) => [name, `${name}_FILE`]);

/** Settings whose names are long enough for a similar one to be no coincidence. */
const LONG_NAMES = NAMES.filter((name) => name.replace(/_FILE$/, "").length >= 8);

/** Lists variables that are no settings, but named like one. OpenTelemetry has more than those in this list. */
const findMisspelled = (given: Environment) =>
  Object.keys(given).flatMap((name) => {
    if (NAMES.includes(name) || name.startsWith("OTEL_")) return [];
    const meant = findClosest(name, LONG_NAMES, 2);
    return meant === undefined ? [] : [{ name, meant }];
  });

/** Describes variables that are no settings, but named like one. */
export const listMisspelled = (given: Environment): string[] =>
  findMisspelled(given).map(({ name, meant }) => `${name} is not a setting. Did you mean ${meant}?`);

/** Parses all variables. Invalid ones have no value, and empty ones count as unset. */
export function parseVariables(given: Environment) {
  const { environment, problems } = readVariables(given);
  const values: Record<string, unknown> = {};
  for (const { name, meant } of environment["DATABASE_URL"] ? [] : findMisspelled(given)) {
    // Otherwise the gateway would use an embedded database instead of the operator's.
    const isMeant = meant === "DATABASE_URL_FILE" || /^\s*postgres(ql)?:/.test(environment[name] ?? "");
    if (meant.startsWith("DATABASE_URL") && environment[name] && isMeant)
      problems.push({
        variable: "DATABASE_URL",
        given: name,
        text: `${name} is not a setting, but ${meant} is`,
      });
  }
  for (const [name, [schema, expected]] of Object.entries(VARIABLES)) {
    const result = schema.safeParse(environment[name] || undefined);
    if (result.success) values[name] = result.data;
    else {
      const rest = result.error.issues.some(({ message }) => message === NOT_ENCODED)
        ? `, ${NOT_ENCODED}`
        : "";
      const file = given[name]?.trim() ? undefined : `${name}_FILE`;
      const variable = name as keyof Variables;
      problems.push(
        file === undefined
          ? { variable, text: `${name} must be ${expected}${rest}` }
          : { variable, given: file, text: `${file} must name a file that holds ${expected}${rest}` },
      );
    }
  }
  const { PORT: port, METRICS_PORT: metricsPort } = values;
  if (port !== undefined && port !== 0 && port === metricsPort) {
    problems.push({ variable: "METRICS_PORT", text: "METRICS_PORT must not be the same as PORT" });
  }
  if (values["DATABASE_DIRECT_URL"] !== undefined && !environment["DATABASE_URL"]) {
    const text = "DATABASE_URL must be set if DATABASE_DIRECT_URL is";
    problems.push({ variable: "DATABASE_DIRECT_URL", text });
  }
  const replicaFault = findReplicaFault(
    environment["DATABASE_URL"],
    values["DATABASE_REPLICA_URLS"] as string[] | undefined,
  );
  if (replicaFault !== undefined) problems.push({ variable: "DATABASE_REPLICA_URLS", text: replicaFault });
  for (const [name, other] of [
    ["DATABASE_REPLICA_MAX_LAG_MS", "DATABASE_REPLICA_URLS"],
    ["SMTP_URL", "MAIL_FROM"],
    ["MAIL_FROM", "SMTP_URL"],
    ["AI_BASE_URL", "AI_MODEL"],
    ["AI_MODEL", "AI_BASE_URL"],
    ["AI_API_KEY", "AI_BASE_URL"],
  ] as const) {
    if (environment[name] && !environment[other]) {
      problems.push({ variable: other, text: `${other} must be set if ${name} is` });
    }
  }
  const clusterFault = findClusterFault((values["REDIS_URL"] ?? []) as string[]);
  if (clusterFault !== undefined) problems.push({ variable: "REDIS_URL", text: clusterFault });
  if ((environment["KEY_PEPPER"] || "none") === values["KEY_PEPPER_PREVIOUS"]) {
    const text = "KEY_PEPPER_PREVIOUS must not be the same as KEY_PEPPER";
    problems.push({ variable: "KEY_PEPPER_PREVIOUS", text });
  }
  if (values["GRAPHQL_ONLY_TRUSTED"] === true && values["GRAPHQL_TRUSTED_DOCUMENTS"] === undefined) {
    const text = "GRAPHQL_TRUSTED_DOCUMENTS must be set if GRAPHQL_ONLY_TRUSTED is true";
    problems.push({ variable: "GRAPHQL_ONLY_TRUSTED", text });
  }
  return { values, problems };
}

/** Returns the fault if the primary's URL is unset, or if a replica's URL is repeated or the primary's. */
function findReplicaFault(primary: string | undefined, urls: readonly string[] = []): string | undefined {
  if (urls.length === 0) return undefined;
  if (!primary) return "DATABASE_URL must be set if DATABASE_REPLICA_URLS is";
  const areDistinct = new Set([primary, ...urls]).size > urls.length;
  return areDistinct
    ? undefined
    : "DATABASE_REPLICA_URLS must list each replica once, and not the URL in DATABASE_URL";
}

/** Returns why several URLs cannot belong to one cluster; undefined if they can. */
function findClusterFault(urls: readonly string[]): string | undefined {
  if (urls.length < 2) return undefined;
  const nodes = urls.map((text) => new URL(text));
  const credentials = new Set(
    nodes.map(({ protocol, username, password }) => [protocol, username, password].join()),
  );
  if (credentials.size > 1)
    return "REDIS_URL must have the same protocol, user and password for all nodes of a cluster";
  if (nodes.every(({ pathname }) => /^\/?0*$/.test(pathname))) return undefined;
  return "REDIS_URL must not name a database other than 0 for a cluster";
}
