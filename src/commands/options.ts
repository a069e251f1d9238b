import { existsSync } from "node:fs";
import { Help, InvalidArgumentError, Option } from "commander";
import { InvalidInput } from "../actions/action-error.js";
import { readName } from "../actions/read-text.js";
import { OVERLAP_HOURS } from "../domain/keys/key-limits.js";
import { KEY_SCOPES } from "../domain/scopes.js";
import { TIERS } from "../domain/tiers.js";
import { isIsoDate } from "../domain/window.js";
import { OperatorError } from "../errors.js";

const help = new Help();

/** Options of commands that print a new key or token. */
export interface Output {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Describes an option in a command's help, with its choices, default and `(required)`. */
export function describeOption(option: Option): string {
  // Commander also prints the default of flags, which is always false.
  const description = help.optionDescription(option).replace(" (default: false)", "");
  return description + (option.mandatory ? " (required)" : "");
}

/** Formats the examples at the end of a command's help. */
export function example(...lines: string[]): string {
  const title = lines.length === 1 ? "Example" : "Examples";
  return `\n${title}:\n${lines.map((line) => `  npm run gateway -- ${line}`).join("\n")}`;
}

/** `--json`, for commands with a result. */
export const jsonOption = () => new Option("--json", "print the result as JSON");
/** `--quiet`, for commands that create a key or a token. */
export const quietOption = (kind: "key" | "token") =>
  new Option("--quiet", `print only the ${kind}`).conflicts("json");
/** `--overlap` of a rotation. */
export const overlapOption = (replaced: string) =>
  new Option("--overlap <hours>", `how long the ${replaced} keeps working`)
    .choices(OVERLAP_HOURS.map(String))
    .default("0", "0: revoked at once");
/** `--tier` of a key. */
export const tierOption = () =>
  new Option("--tier <tier>", "tier, which sets the hourly limit").choices(TIERS);
/** `--plan` of an organization. */
export const planOption = () =>
  new Option("--plan <tier>", "highest tier allowed for the organization's keys").choices(TIERS);
/** `--output` of an export. */
export const outputOption = () => new Option("--output <file>", "file to create").makeOptionMandatory();
/** `--force` of an export. */
export const forceOption = () => new Option("--force", "overwrite an existing file");

/** Options of commands that write a file. */
export interface FileOutput {
  readonly output: string;
  readonly force?: boolean;
}

/** Throws OperatorError if a file exists, unless it may be overwritten. */
export function requireNewFile(path: string, force = false): void {
  if (force || !existsSync(path)) return;
  throw new OperatorError(`${path} exists. Choose another file, or overwrite it with --force.`);
}

/** `--scope` of a key; repeatable. */
export const scopeOption = () =>
  new Option("--scope <scope...>", "data that the key may read; repeatable").choices(KEY_SCOPES);
/** The required option `--organization`, a slug. */
export const organizationOption = (note = "") =>
  new Option("--organization <slug>", `slug of the organization${note}`)
    .argParser(readSlug)
    .makeOptionMandatory();
/** `--expires-at` of a key or token. */
export const expiryOption = (what = "expiry") =>
  new Option(
    "--expires-at <time|never>",
    `${what} in ISO 8601, UTC unless it has a zone, such as 2027-01-31, or never`,
  ).argParser(readExpiry);
/** `--name`, with at most `max` characters. */
export const nameOption = (description: string, max?: number) =>
  new Option("--name <name>", description).argParser((text) => {
    try {
      return readName("key", text, max);
    } catch (error) {
      throw error instanceof InvalidInput ? new InvalidArgumentError(`It ${error.fault}.`) : error;
    }
  });

/** Converts `never` to null. */
export const expiryOf = (expiresAt: Date | "never") => (expiresAt === "never" ? null : expiresAt);

/** Reads a slug, which must not be blank. Throws InvalidArgumentError. */
export function readSlug(text: string): string {
  const slug = text.trim();
  if (slug === "") throw new InvalidArgumentError("It must not be blank.");
  return slug;
}

/** Reads an expiry: a day or time in ISO 8601, in UTC unless it has a zone, or `never`. Throws InvalidArgumentError. */
export function readExpiry(text: string): Date | "never" {
  if (text === "never") return text;
  const [day = "", time] = text.split("T");
  const isZoned = time === undefined || /(Z|[+-]\d\d(:?\d\d)?)$/.test(time);
  const instant = new Date(isZoned ? text : `${text}Z`);
  if (!isIsoDate(day) || Number.isNaN(instant.getTime())) {
    throw new InvalidArgumentError("Expected ISO 8601, such as 2027-01-31T00:00:00Z, or never.");
  }
  return instant;
}

/** Reads a number of processes, 1 to 64. Throws InvalidArgumentError. */
export function readWorkers(text: string): number {
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(text)) {
    throw new InvalidArgumentError("Expected a number of processes from 1 to 64.");
  }
  return Number(text);
}
