import { isDeepStrictEqual } from "node:util";
import { ActionError, type Subject } from "./action-error.js";

/** Result of an idempotent write. `isNew` is true if this request wrote the row. */
export interface WriteResult {
  readonly id: string;
  readonly isNew: boolean;
}

/**
 * Returns true if the changes leave a row unchanged; undefined values are ignored. Such a request succeeds whatever
 * version it expects, because it may repeat one whose response was lost (RFC 9110, section 13.1.1).
 */
export function changesNothing<Row extends object>(
  existing: Row,
  changes: { readonly [Name in keyof Row]?: Row[Name] | undefined },
): boolean {
  const names = Object.keys(changes) as (keyof Row)[];
  return names.every(
    (name) => changes[name] === undefined || isDeepStrictEqual(changes[name], existing[name]),
  );
}

/**
 * Throws CONFLICT, with each part that differs, unless the sent content equals the content stored under its reference
 * or natural key. Parts have the names of the input. Amounts are plain decimals without redundant zeros, and missing
 * parts are null.
 */
export function assertIdempotent<Parts extends Readonly<Record<string, string | number | null>>>(
  subject: Subject,
  key: string,
  existing: Parts,
  sent: Parts,
): void {
  const differing = Object.keys(sent).filter((name) => existing[name] !== sent[name]);
  if (differing.length === 0) return;
  const details = differing.map((name) => ({
    path: name,
    message: `is stored as ${existing[name] ?? "empty"}, got ${sent[name] ?? "nothing"}`,
  }));
  const message = `${key} already exists with a different ${differing.join(", ")}.`;
  throw new ActionError("CONFLICT", subject, message, details);
}
