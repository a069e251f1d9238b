/** Why an action refused: no such thing, its state does not allow it, or the input is invalid. */
export type RefusalCode = "NOT_FOUND" | "CONFLICT" | "VALIDATION_FAILED";

/** What a refusal is about. */
export type Subject = "organization" | "key" | "import";

/** A refusal whose message the caller may read, whichever surface called. Nothing was changed. */
export class ActionError extends Error {
  readonly code: RefusalCode;
  readonly subject: Subject;

  constructor(code: RefusalCode, subject: Subject, message: string) {
    super(message);
    this.name = "ActionError";
    this.code = code;
    this.subject = subject;
  }
}

/** Input that an action cannot take. If it has a field, the message continues its name: `must not be blank`. */
export class InvalidInput extends ActionError {
  /** Such as `expiresAt`; null if the input as a whole is wrong. */
  readonly field: string | null;

  constructor(subject: Subject, field: string | null, message: string) {
    super("VALIDATION_FAILED", subject, message);
    this.name = "InvalidInput";
    this.field = field;
  }
}
