import { AppError, type ErrorCode } from "../errors.js";

/** Why an action refused: no such thing, its state does not allow it, the input is invalid, or it is not for the caller. */
export type RefusalCode = Extract<
  ErrorCode,
  "NOT_FOUND" | "CONFLICT" | "VALIDATION_FAILED" | "FORBIDDEN" | "REAUTHENTICATION_REQUIRED"
>;

/** What a refusal is about. */
export type Subject = "organization" | "key" | "import" | "user" | "invitation" | "session";

/** A refusal whose message the caller may read, whichever surface called. Nothing was changed. */
export class ActionError extends AppError {
  readonly subject: Subject;

  /** `path` is the part of the input that a conflict or a fault is about. */
  constructor(code: RefusalCode, subject: Subject, message: string, path: string = subject) {
    const hasDetails = code === "CONFLICT" || code === "VALIDATION_FAILED";
    super(code, message, hasDetails ? { details: [{ path, message }] } : {});
    this.name = "ActionError";
    this.subject = subject;
  }
}

/** Input that an action cannot take. If it has a field, the fault continues its name: `must not be blank`. */
export class InvalidInput extends ActionError {
  /** Such as `expiresAt`; null if the input as a whole is wrong. */
  readonly field: string | null;
  readonly fault: string;

  constructor(subject: Subject, field: string | null, fault: string) {
    super("VALIDATION_FAILED", subject, field === null ? fault : `${field} ${fault}.`, field ?? subject);
    this.name = "InvalidInput";
    this.field = field;
    this.fault = fault;
  }
}
