import { type Environment, parseVariables, readVariables } from "../../config/read-variables.js";
import { VARIABLES } from "../../config/variables.js";
import { readConfig } from "../../config.js";
import { countOf } from "../../domain/texts/count-of.js";
import { describeVersion } from "../../paths.js";
import { examineConfiguration, examineProduction } from "./configuration.js";
import { examineDatabase } from "./database.js";
import { type Finding, ok } from "./finding.js";
import { examineRedis } from "./redis.js";
import { examineTemporaryFiles } from "./temporary-files.js";

/** All findings, with the number of failures and warnings. */
export interface Examination {
  readonly failures: number;
  readonly warnings: number;
  readonly checks: readonly Finding[];
}

/**
 * Checks everything that `serve` needs, and changes nothing. Opens an embedded database only if it exists and is not in
 * use. The findings contain no secrets.
 */
export async function examine(environment: Environment, clock: () => Date): Promise<Examination> {
  const { problems } = parseVariables(environment);
  const { wrong, config } = readValid(environment);
  const examinations = [
    [ok("version", `This is version ${describeVersion()}.`)],
    examineConfiguration(problems, config),
    examineProduction(config, wrong),
    examineTemporaryFiles(),
    ...(wrong.has("DATABASE_URL") || wrong.has("DATABASE_DIRECT_URL")
      ? []
      : [examineDatabase(config, clock)]),
    ...(wrong.has("REDIS_URL") ? [] : [examineRedis(config, clock)]),
  ];
  const found = (await Promise.all(examinations)).flat();
  const hide = hideSecrets(environment);
  const checks = found.map((finding) => ({ ...finding, message: hide(finding.message) }));
  const count = (status: Finding["status"]) => checks.filter((finding) => finding.status === status).length;
  return { failures: count("failure"), warnings: count("warning"), checks };
}

/** Reads the configuration without the invalid variables, and without those that are invalid as a result. */
function readValid(environment: Environment) {
  const wrong = new Set<string>();
  for (;;) {
    const rest = Object.fromEntries(
      Object.entries(environment).filter(
        ([name]) => !wrong.has(name) && !wrong.has(name.replace(/_FILE$/, "")),
      ),
    );
    const { problems } = parseVariables(rest);
    if (problems.length === 0) return { wrong, config: readConfig(rest) };
    for (const { variable, given = variable } of problems) wrong.add(variable).add(given);
  }
}

/** Describes each check on one line, followed by the remedy. */
export function describeExamination({ failures, warnings, checks }: Examination): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.flatMap(({ check, status, message, mend }) => [
    `${status.padEnd(7)}  ${check.padEnd(width)}  ${message.replaceAll("\n", `\n${" ".repeat(width + 11)}`)}`,
    ...(mend === null ? [] : [`${" ".repeat(width + 11)}→ ${mend}`]),
  ]);
  const sum = [countOf(failures, "failure"), countOf(warnings, "warning")].join(", ");
  return [...lines, "", failures + warnings === 0 ? "No problems found." : `${sum}.`].join("\n");
}

/** Creates a function that removes secrets from messages, because drivers may repeat them. */
function hideSecrets(environment: Environment) {
  const given = Object.entries(readVariables(environment).environment).flatMap(([name, value = ""]) =>
    name in VARIABLES ? [{ name, value }] : [],
  );
  const secrets = given.flatMap(({ name, value }) => (/PEPPER|KEY/.test(name) ? [value] : []));
  const urls = given
    .flatMap(({ name, value }) => (/URL|ENDPOINT/.test(name) ? value.split(",") : []))
    .map((text) => text.trim())
    .filter((text) => URL.canParse(text));
  const passwords = urls.flatMap((text) => {
    const { password, searchParams } = new URL(text);
    const other = searchParams.get("password") ?? "";
    return password + other === "" ? [] : [text, password, decode(password), other];
  });
  const hidden = [...secrets, ...passwords].filter((text) => text.length > 2 && text !== "none");
  return (text: string) => hidden.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
