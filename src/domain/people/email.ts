import { isWithinLimit, TEXT_LIMITS } from "../texts/text-limits.js";

/**
 * One @ with at least one character on each side, without spaces and control characters. The database requires the same
 * form.
 */
const FORM = /^[^\s\p{Cc}\p{Cs}@]+@[^\s\p{Cc}\p{Cs}@]+$/u;

/** Returns the fault of an e-mail address as `expected …, got …`; undefined if it is valid. Does not trim it. */
export function findEmailFault(email: string): string | undefined {
  if (!isWithinLimit(email, TEXT_LIMITS.email)) {
    return `expected an e-mail address of at most ${TEXT_LIMITS.email} characters, got ${[...email].length}`;
  }
  if (FORM.test(email)) return undefined;
  return `expected an e-mail address such as ada@example.org, got ${JSON.stringify(email)}`;
}

/**
 * Lowercases the ASCII letters of an e-mail address. Addresses of the same account become equal, by the database's own
 * rule.
 */
export const foldEmail = (email: string): string =>
  email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
