import { isWithinLimit, TEXT_LIMITS } from "./text-limits.js";

/** Returns what is wrong with the name of a person or an organization, as `expected …, got …`; undefined if it may be used. */
export function findNameFault(name: string): string | undefined {
  if (name.trim() === "") return "expected a name, got nothing but spaces";
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return "expected a name in one line of text, got control characters";
  if (isWithinLimit(name, TEXT_LIMITS.name)) return undefined;
  return `expected a name of at most ${TEXT_LIMITS.name} characters, got ${[...name].length}`;
}
