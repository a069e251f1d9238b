import { isWithinLimit, TEXT_LIMITS } from "./text-limits.js";

/** Returns the fault in a person's or organization's name, as `expected …, got …`; undefined if the name is valid. */
export function findNameFault(name: string): string | undefined {
  if (name.trim() === "") return "expected a name, got only spaces";
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return "expected a name without control characters or line breaks";
  if (isWithinLimit(name, TEXT_LIMITS.name)) return undefined;
  return `expected a name of at most ${TEXT_LIMITS.name} characters, got ${[...name].length}`;
}
