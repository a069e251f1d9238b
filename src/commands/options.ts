import { InvalidArgumentError, Option } from "commander";
import { SCOPES } from "../domain/scopes.js";
import { TIERS } from "../domain/tiers.js";
import { isIsoDate } from "../domain/window.js";

/** `--json`, of every command that answers. */
export const jsonOption = () => new Option("--json", "print machine-readable JSON on standard output");
/** `--tier`. */
export const tierOption = () => new Option("--tier <tier>", "size of the hourly budget").choices(TIERS);
/** `--scope`, once or several times. */
export const scopeOption = () =>
  new Option("--scope <scope...>", "what the key may read; may be given several times").choices(SCOPES);
/** `--organization`, by its slug. */
export const organizationOption = () =>
  new Option("--organization <slug>", "the organization").argParser(readName).makeOptionMandatory();

/** A name, without the blanks around it; throws where nothing is left. */
export function readName(text: string): string {
  const name = text.trim();
  if (name === "") throw new InvalidArgumentError("It must not be blank.");
  return name;
}

/** A day, or a point in time, of ISO 8601, in UTC where it names no zone; throws for anything else. */
export function readInstant(text: string): Date {
  const [day = "", time] = text.split("T");
  const isZoned = time === undefined || /(Z|[+-]\d\d(:?\d\d)?)$/.test(time);
  const instant = new Date(isZoned ? text : `${text}Z`);
  if (!isIsoDate(day) || Number.isNaN(instant.getTime())) {
    throw new InvalidArgumentError("Expected ISO 8601, such as 2027-01-31T00:00:00Z.");
  }
  return instant;
}

/** Hours, up to a year; throws for anything else. */
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
