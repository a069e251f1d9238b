import { AppError, type AppErrorOptions, type ErrorCode, type Problem } from "../errors.js";

/**
 * Code of a refusal: the subject does not exist, its state does not allow the action, the input is invalid, or the
 * caller lacks permission.
 */
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

/** Codes of refusals whose details name the invalid parts of the input. */
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

export type Subject =
  | "organization"
  | "key"
  | "serviceAccount"
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
  | "instrument"
  | "claim"
  | "price"
  | "preferences"
  | "notification"
  | "index"
  | "conversation"
  | "message"
  | "verification"
  | "certificate"
  | "webhook"
  | "delivery"
  | "domain"
  | "directoryGroup"
  | "singleSignOn"
  | "policy"
  | "entity"
  | "stream"
  | "judgement"
  | "inventory"
  | "target";

/** A refusal whose message callers may read on every surface. Nothing was changed. */
export class ActionError extends AppError {
  readonly subject: Subject;

  /** `about` is the part of the input that conflicts or is invalid, or the problems of several parts. */
  constructor(
    code: RefusalCode,
    subject: Subject,
    message: string,
    about: string | readonly Problem[] = subject,
    { extensions, maxDetails }: Pick<AppErrorOptions, "extensions" | "maxDetails"> = {},
  ) {
    const details = typeof about === "string" ? [{ path: about, message }] : about;
    super(code, message, { extensions, maxDetails, ...(WITH_DETAILS.has(code) && { details }) });
    this.name = "ActionError";
    this.subject = subject;
  }
}

/** Invalid input. If `field` is set, the message is its name followed by `fault`, such as `must not be blank`. */
export class InvalidInput extends ActionError {
  /** Name such as `expiresAt`; null if the input as a whole is invalid. */
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
const MAX_NAMED = 10;

/** Joins the first messages, and appends the number of the remaining ones. */
export function joinMessages(messages: readonly string[]): string {
  const others = messages.length - MAX_NAMED;
  return [...messages.slice(0, MAX_NAMED), ...(others > 0 ? [`And ${others} more.`] : [])].join(" ");
}

/** Reads the parts of an input and collects their faults. */
export interface InputReader {
  /** Returns the result of `part`. If it throws a fault of the input, records the fault and returns undefined. */
  read<T>(part: () => T): T | undefined;
  /** Problems of the recorded faults. */
  details(): readonly Problem[];
  /** Throws all faults as one error; a single fault unchanged. */
  finish(): void;
}

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

/** Runs all checks of an input and returns their results. Throws all of their faults as one error. */
export function requireValid<Checks extends readonly (() => unknown)[]>(
  ...checks: Checks
): { [Index in keyof Checks]: ReturnType<Checks[Index]> } {
  const input = readInput();
  const results = checks.map((check) => input.read(check));
  input.finish();
  return results as never;
}

/** Returns `found`. Throws NOT_FOUND if it is missing; the message calls it `name`. */
export function requireFound<T>(
  found: T | null | undefined,
  subject: Subject,
  id: string,
  name: string = subject,
): T {
  if (found != null) return found;
  throw new ActionError("NOT_FOUND", subject, `There is no ${name} with the id ${id}.`);
}

/** Throws InvalidInput unless a list has 1 to `max` items; the message calls them `items`. */
export function requireSize(
  subject: Subject,
  field: string,
  size: number,
  max: number,
  items = "entries",
): void {
  if (size >= 1 && size <= max) return;
  throw new InvalidInput(subject, field, `must have 1 to ${max} ${items} (got ${size})`);
}

/** Throws CONFLICT unless `current` is the version that the caller expects; null accepts any version. */
export function requireVersion(subject: Subject, current: number, expected: number | null | undefined): void {
  if (expected == null || expected === current) return;
  const message = `VERSION_MISMATCH: expectedVersion is ${expected}, and the current version is ${current}. Read it again.`;
  throw new ActionError("CONFLICT", subject, message, "version");
}
