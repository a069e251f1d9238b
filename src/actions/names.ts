import { findEmailFault } from "../domain/email.js";
import { isWithinLimit, TEXT_LIMITS } from "../domain/text-limits.js";
import { InvalidInput, type Subject } from "./action-error.js";

/**
 * A name without the spaces around it. Throws InvalidInput if nothing is left, for more than `most` characters, and for control
 * characters.
 */
export function readName(subject: Subject, text: string, most: number = TEXT_LIMITS.name): string {
  const name = text.trim();
  if (name === "") throw new InvalidInput(subject, "name", "must not be blank");
  if (/[\p{Cc}\p{Cs}]/u.test(name))
    throw new InvalidInput(subject, "name", "must not have control characters");
  if (!isWithinLimit(name, most)) {
    const limit = `must have at most ${most} characters`;
    throw new InvalidInput(subject, "name", `${limit} (got ${[...name].length})`);
  }
  return name;
}

/** An e-mail address without the spaces around it. Throws InvalidInput for anything else. */
export function readEmail(subject: Subject, text: string): string {
  const email = text.trim();
  if (findEmailFault(email) === undefined) return email;
  const expected = `must be an e-mail address of at most ${TEXT_LIMITS.email} characters, such as ada@example.com`;
  throw new InvalidInput(subject, "email", expected);
}
