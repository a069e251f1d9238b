import { Help, InvalidArgumentError, Option } from "commander";
import { SCOPES } from "../domain/scopes.js";
import { isWithinLimit, TEXT_LIMITS } from "../domain/text-limits.js";
import { TIERS } from "../domain/tiers.js";
import { isIsoDate } from "../domain/window.js";

const help = new Help();

/** An option's description in the help: with its choices and default, and whether it is required. */
export function describeOption(option: Option): string {
  return help.optionDescription(option) + (option.mandatory ? " (required)" : "");
}

/** Examples of command lines, to stand below the help of a command. */
export function example(...lines: string[]): string {
  const title = lines.length === 1 ? "Example" : "Examples";
  return `\n${title}:\n${lines.map((line) => `  npm run gateway -- ${line}`).join("\n")}`;
}

/** `--json`, for every command that has a result. */
export const jsonOption = () => new Option("--json", "print the result as JSON");
/** `--quiet`, for commands that make a key. */
export const quietOption = () => new Option("--quiet", "print the key and nothing else").conflicts("json");
/** `--tier`. */
export const tierOption = () =>
  new Option("--tier <tier>", "tier, which sets the hourly limit").choices(TIERS);
/** `--scope`, once or several times. */
export const scopeOption = () =>
  new Option("--scope <scope...>", "what the key may read; repeatable").choices(SCOPES);
/** `--organization`, by its slug. */
export const organizationOption = (note = "") =>
  new Option("--organization <slug>", `slug of the organization${note}`)
    .argParser(readName)
    .makeOptionMandatory();
/** `--expires-at`. */
export const expiryOption = () =>
  new Option("--expires-at <time|never>", "when the key expires, in ISO 8601").argParser(readExpiry);
/** `--name` of a key. */
export const keyNameOption = () =>
  new Option("--name <name>", "name that says what the key is for").argParser(readName);

/** A name, without the spaces around it; throws if nothing is left, or if it is too long. */
export function readName(text: string): string {
  const name = text.trim();
  if (name === "") throw new InvalidArgumentError("It must not be blank.");
  if (!isWithinLimit(name, TEXT_LIMITS.name)) {
    throw new InvalidArgumentError(
      `It must have at most ${TEXT_LIMITS.name} characters (got ${[...name].length}).`,
    );
  }
  return name;
}

/** When a key expires: a day or a time in ISO 8601, in UTC if it names no zone, or `never`; throws for anything else. */
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

/** A number of hours, up to a year; throws for anything else. */
export function readHours(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > 8_760) {
    throw new InvalidArgumentError("Expected a number of hours, 0 to 8760.");
  }
  return Number(text);
}

/** A number of processes, 1 to 64; throws for anything else. */
export function readWorkers(text: string): number {
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(text)) {
    throw new InvalidArgumentError("Expected a number of processes, 1 to 64.");
  }
  return Number(text);
}
