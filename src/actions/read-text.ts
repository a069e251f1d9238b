import { findEmailFault } from "../domain/people/email.js";
import { isWithinLimit, TEXT_LIMITS } from "../domain/texts/text-limits.js";
import { hideCredentials, isWebLink, WEB_LINK } from "../domain/texts/web-link.js";
import { quoted } from "../files/quoted.js";
import { InvalidInput, type Subject } from "./action-error.js";

/**
 * Returns a one-line text without surrounding spaces. Throws InvalidInput if it is empty, longer than `max`
 * characters, or contains control characters.
 */
export const readText = (subject: Subject, field: string, given: string, max: number): string =>
  readTextWithout(/[\p{Cc}\p{Cs}]/u, subject, field, given, max);

/** Works like `readText` for an optional text; null if omitted. */
export const readOptional = (
  subject: Subject,
  field: string,
  text: string | null | undefined,
  max: number,
): string | null => (text == null ? null : readText(subject, field, text, max));

/** Works like `readText` for a text that may have several lines. */
export const readLines = (subject: Subject, field: string, given: string, max: number): string =>
  readTextWithout(/(?![\n\r\t])[\p{Cc}\p{Cs}]/u, subject, field, given, max);

function readTextWithout(
  refused: RegExp,
  subject: Subject,
  field: string,
  given: string,
  max: number,
): string {
  const text = given.trim();
  if (text === "") throw new InvalidInput(subject, field, "must not be blank");
  if (refused.test(text)) {
    throw new InvalidInput(subject, field, "must not have control characters");
  }
  if (!isWithinLimit(text, max)) {
    const limit = `must have at most ${max} characters`;
    throw new InvalidInput(subject, field, `${limit} (got ${[...text].length})`);
  }
  return text;
}

/** Returns an optional note, which may have several lines; null if omitted. Throws InvalidInput. */
export const readNote = (subject: Subject, field: string, text: string | null | undefined): string | null =>
  text == null ? null : readLines(subject, field, text, TEXT_LIMITS.note);

/** Returns a link. Throws InvalidInput unless it is an absolute http or https URL. */
export function readLink(subject: Subject, field: string, text: string): string {
  const link = readText(subject, field, text, TEXT_LIMITS.url);
  if (isWebLink(link)) return link;
  throw new InvalidInput(subject, field, `must be ${WEB_LINK} (got ${hideCredentials(link)})`);
}

/** Returns a name, which is a one-line text. Throws InvalidInput. */
export const readName = (subject: Subject, text: string, max: number = TEXT_LIMITS.name): string =>
  readText(subject, "name", text, max);

/** Returns an e-mail address without surrounding spaces. Throws InvalidInput for anything else. */
export function readEmail(subject: Subject, text: string, field = "email"): string {
  const email = text.trim();
  if (findEmailFault(email) === undefined) return email;
  const expected = `must be an e-mail address of at most ${TEXT_LIMITS.email} characters, such as ada@example.com`;
  throw new InvalidInput(subject, field, `${expected} (got ${quoted(email)})`);
}
