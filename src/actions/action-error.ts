import { AppError, type AppErrorOptions, type ErrorCode, type Problem } from "../errors.js";

/** Why an action refused: no such thing, its state does not allow it, the input is invalid, or it is not for the caller. */
export type RefusalCode = Extract<
  ErrorCode,
  | ("NOT_FOUND" | "CONFLICT" | "VALIDATION_FAILED" | "FORBIDDEN" | "REAUTHENTICATION_REQUIRED")
  | (
      | "UNIT_MISMATCH"
      | "FACTOR_NOT_FOUND"
      | "AMBIGUOUS_FACTOR"
      | "AMBIGUOUS_UNIT"
      | "CONFIRMATION_REQUIRED"
      | "UNRESOLVED_ACTIVITIES"
      | "ROUTE_REQUIRED"
      | "NOT_COVERED"
    )
>;

/** Codes of refusals that say what is wrong with which part of the input. */
const WITH_DETAILS: ReadonlySet<RefusalCode> = new Set([
  "CONFLICT",
  "VALIDATION_FAILED",
  "UNIT_MISMATCH",
  "FACTOR_NOT_FOUND",
  "AMBIGUOUS_FACTOR",
  "AMBIGUOUS_UNIT",
  "ROUTE_REQUIRED",
  "NOT_COVERED",
]);

/** What a refusal is about. */
export type Subject =
  | "organization"
  | "key"
  | "import"
  | "user"
  | "invitation"
  | "session"
  | "record"
  | "facility"
  | "factor"
  | "mapping"
  | "metric"
  | "anomaly"
  | "announcement"
  | "framework"
  | "deadline"
  | "period"
  | "estimate"
  | "declaration"
  | "batch"
  | "sale"
  | "retirement"
  | "price"
  | "preferences"
  | "notification"
  | "index"
  | "conversation"
  | "message"
  | "verification"
  | "certificate";

/** A refusal whose message the caller may read, whichever surface called. Nothing was changed. */
export class ActionError extends AppError {
  readonly subject: Subject;

  /** `about` is the part of the input that a conflict or a fault is about, or what is wrong with several. */
  constructor(
    code: RefusalCode,
    subject: Subject,
    message: string,
    about: string | readonly Problem[] = subject,
    { extensions, mostDetails }: Pick<AppErrorOptions, "extensions" | "mostDetails"> = {},
  ) {
    const details = typeof about === "string" ? [{ path: about, message }] : about;
    super(code, message, { extensions, mostDetails, ...(WITH_DETAILS.has(code) && { details }) });
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
    super("VALIDATION_FAILED", subject, field === null ? fault : `${field} ${fault}.`, field ?? "");
    this.name = "InvalidInput";
    this.field = field;
    this.fault = fault;
  }
}

/** Maximum number of problems in a message. */
const MOST_NAMED = 10;

/** Joins the first messages, and appends the number of the others. */
export function joinMessages(messages: readonly string[]): string {
  const others = messages.length - MOST_NAMED;
  return [...messages.slice(0, MOST_NAMED), ...(others > 0 ? [`And ${others} more.`] : [])].join(" ");
}

/** Reads the parts of an input one by one, so that all of its faults are reported together. */
export interface InputReader {
  /** Returns what `part` returns. If it throws a fault of the input, remembers the fault and returns undefined. */
  read<T>(part: () => T): T | undefined;
  /** Subjects of the faults so far. */
  details(): readonly Problem[];
  /** Throws all faults together; a single one as it is. */
  finish(): void;
}

/** Makes a reader of one input. */
export function readInput(): InputReader {
  const found: ActionError[] = [];
  const details = () => found.flatMap((fault) => fault.details ?? []);
  return {
    details,
    read(part) {
      try {
        return part();
      } catch (error) {
        if (!(error instanceof ActionError && error.details)) throw error;
        found.push(error);
        return undefined;
      }
    },
    finish() {
      const [first, ...others] = found;
      if (!first) return;
      if (others.length === 0) throw first;
      const message = joinMessages(found.map((fault) => fault.message));
      throw new ActionError("VALIDATION_FAILED", first.subject, message, details());
    },
  };
}

/** Runs checks of an input, and returns what they return, or throws everything that they find wrong with it together. */
export function requireValid<Checks extends readonly (() => unknown)[]>(
  ...checks: Checks
): { [Index in keyof Checks]: ReturnType<Checks[Index]> } {
  const input = readInput();
  const results = checks.map((check) => input.read(check));
  input.finish();
  return results as never;
}

/** Returns what was found by its id. Throws NOT_FOUND if nothing was; `name` is what the message calls it. */
export function requireFound<T>(
  found: T | null | undefined,
  subject: Subject,
  id: string,
  name: string = subject,
): T {
  if (found != null) return found;
  throw new ActionError("NOT_FOUND", subject, `There is no ${name} with the id ${id}.`);
}

/** Throws CONFLICT if something was changed since the version that a caller has seen; null for whichever it is. */
export function requireVersion(subject: Subject, present: number, expected: number | null | undefined): void {
  if (expected == null || expected === present) return;
  const message = `VERSION_MISMATCH: expectedVersion is ${expected}, and the present version is ${present}. Read it again.`;
  throw new ActionError("CONFLICT", subject, message, "version");
}
