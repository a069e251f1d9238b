import { TEXT_LIMITS } from "../../domain/text-limits.js";
import { isWebLink } from "../../domain/web-link.js";
import { type IsoDate, isSupportedDate, SUPPORTED_DATE } from "../../domain/window.js";
import { InvalidInput, type Subject } from "../action-error.js";
import { readLines, readText } from "../names.js";

/** A note of several lines that may be left out: null then. Throws InvalidInput. */
export const readNote = (subject: Subject, field: string, text: string | null | undefined): string | null =>
  text == null ? null : readLines(subject, field, text, TEXT_LIMITS.note);

/** A link. Throws InvalidInput unless it is an absolute http or https URL. */
export function readLink(subject: Subject, field: string, text: string): string {
  const link = readText(subject, field, text, TEXT_LIMITS.url);
  if (isWebLink(link)) return link;
  throw new InvalidInput(subject, field, `must be an absolute http or https URL (got ${link})`);
}

/** A date. Throws InvalidInput unless it is one that the gateway supports. */
export function readDate(subject: Subject, field: string, date: IsoDate): IsoDate {
  if (isSupportedDate(date)) return date;
  throw new InvalidInput(subject, field, `must be ${SUPPORTED_DATE} (got ${date})`);
}
