import { isDeepStrictEqual } from "node:util";
import { ActionError, type Subject } from "./action-error.js";

/** The id of a row that a request may write twice; `isNew` is true if this request wrote it. */
export interface WriteResult {
  readonly id: string;
  readonly isNew: boolean;
}

/**
 * Returns true if changes leave a row unchanged; undefined changes nothing. The response to such a change is the row,
 * at any expected version: it may repeat a request whose response was lost (RFC 9110, section 13.1.1).
 */
export function changesNothing<Row extends object>(
  there: Row,
  changes: { readonly [Name in keyof Row]?: Row[Name] | undefined },
): boolean {
  const names = Object.keys(changes) as (keyof Row)[];
  return names.every((name) => changes[name] === undefined || isDeepStrictEqual(changes[name], there[name]));
}

/**
 * Throws CONFLICT, with each part that differs, unless the content stored under a reference or natural key is the same
 * as the sent content. The parts are named as in the input; amounts are plain decimals without redundant zeros, and
 * absent parts are null.
 */
export function assertIdempotent<Parts extends Readonly<Record<string, string | number | null>>>(
  subject: Subject,
  key: string,
  there: Parts,
  sent: Parts,
): void {
  const differing = Object.keys(sent).filter((name) => there[name] !== sent[name]);
  if (differing.length === 0) return;
  const details = differing.map((name) => ({
    path: name,
    message: `is ${there[name] ?? "empty"} there, got ${sent[name] ?? "nothing"}`,
  }));
  const message = `${key} is taken, with another ${differing.join(", ")}.`;
  throw new ActionError("CONFLICT", subject, message, details);
}
