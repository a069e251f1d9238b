import { AppError, type ErrorCode, type Problem } from "../errors.js";

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

  /** `about` is the part of the input that a conflict or a fault is about, or what is wrong with several. */
  constructor(
    code: RefusalCode,
    subject: Subject,
    message: string,
    about: string | readonly Problem[] = subject,
  ) {
    const hasDetails = code === "CONFLICT" || code === "VALIDATION_FAILED";
    const details = typeof about === "string" ? [{ path: about, message }] : about;
    super(code, message, hasDetails ? { details } : {});
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

/** Runs checks of an input, and throws everything that they find wrong with it together. */
export function requireValid(...checks: readonly (() => void)[]): void {
  const found = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof InvalidInput) return [error];
      throw error;
    }
  });
  const [first, ...more] = found;
  if (!first) return;
  if (more.length === 0) throw first;
  const details = found.flatMap((fault) => fault.details ?? []);
  const message = found.map((fault) => fault.message).join(" ");
  throw new ActionError("VALIDATION_FAILED", first.subject, message, details);
}

/** Throws CONFLICT if something was changed since the version that a caller has seen; null for whichever it is. */
export function requireVersion(subject: Subject, present: number, expected: number | null | undefined): void {
  if (expected == null || expected === present) return;
  const message = `VERSION_MISMATCH: expected version ${expected}, and the present one is ${present}.`;
  throw new ActionError("CONFLICT", subject, message, "version");
}
