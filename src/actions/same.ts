import { ActionError, type Subject } from "./action-error.js";

/** The id of a row that a request may write twice, and whether this request wrote it. */
export interface Written {
  readonly id: string;
  readonly isNew: boolean;
}

/**
 * Throws CONFLICT, with each part that differs, unless what is there under a reference or natural key is what is sent again.
 * The parts are named as in the input; amounts are plain decimals without redundant zeros, and absent ones null.
 */
export function requireSame<Parts extends Readonly<Record<string, string | number | null>>>(
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
