import { isWithinLimit, TEXT_LIMITS } from "../texts/text-limits.js";

/** One @ with something on both sides, without spaces and control characters: the database expects the same form. */
const FORM = /^[^\s\p{Cc}\p{Cs}@]+@[^\s\p{Cc}\p{Cs}@]+$/u;

/** Returns what is wrong with an e-mail address, as `expected …, got …`; undefined if it may be used. Nothing is trimmed. */
export function findEmailFault(email: string): string | undefined {
  if (!isWithinLimit(email, TEXT_LIMITS.email)) {
    return `expected an e-mail address of at most ${TEXT_LIMITS.email} characters, got ${[...email].length}`;
  }
  if (FORM.test(email)) return undefined;
  return `expected an e-mail address such as ada@example.org, got ${JSON.stringify(email)}`;
}

/** An e-mail address without the case of its ASCII letters: the same for the same account, as the database tells them apart. */
export const foldEmail = (email: string): string =>
  email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
