/** The gateway's error codes, with their HTTP status. GraphQL, SCIM and OAuth also have codes of their own. */
export const ERROR_STATUS = {
  INVALID_KEY: 401,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  REFRESH_TOKEN_REUSED: 401,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  EMAIL_NOT_CONFIRMED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  CSRF_REJECTED: 403,
  RATE_LIMIT_EXCEEDED: 429,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  OPERATOR_REQUIRED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  IDEMPOTENCY_ANSWER_LOST: 409,
  LINK_EXPIRED: 410,
  CURSOR_EXPIRED: 410,
  VALIDATION_FAILED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  UNIT_MISMATCH: 422,
  FACTOR_NOT_FOUND: 422,
  AMBIGUOUS_FACTOR: 422,
  AMBIGUOUS_UNIT: 422,
  UNRESOLVED_ACTIVITIES: 422,
  ROUTE_REQUIRED: 422,
  NOT_COVERED: 422,
  CONFIRMATION_REQUIRED: 422,
  NOT_SUPPORTED_FOR_MODULE: 422,
  INSUFFICIENT_DATA: 422,
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 400,
  INTERNAL_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** A fault in one part of an input, such as `organization.slug`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Default maximum number of problems in an error. */
export const MAX_PROBLEMS = 20;
/** Maximum lengths of messages and paths, which may quote the input. */
const MAX_LENGTH = { error: 6_000, problem: 1_000, path: 200 };

/** Cuts a string, but not within a surrogate pair. */
const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** Cuts a message to the maximum length. */
export const cutMessage = (message: string): string => cut(message, MAX_LENGTH.error);

/** Returns the first details, each cut to its maximum length. If there are more, the last detail counts the rest. */
function cutProblems({
  details = [],
  maxDetails = MAX_PROBLEMS,
  omittedDetails = 0,
}: AppErrorOptions): readonly Problem[] {
  const named = details.slice(0, maxDetails).map(({ path, message }) => ({
    path: cut(path, MAX_LENGTH.path),
    message: cut(message, MAX_LENGTH.problem),
  }));
  const others = omittedDetails + details.length - named.length;
  return others === 0 ? named : [...named, { path: "", message: `and ${others} more` }];
}

export interface AppErrorOptions {
  /** Overrides the code's status, for example with 413 or 431 for a request that cannot be read. */
  status?: number;
  headers?: Record<string, string>;
  /** Additional GraphQL extensions. REST returns some of them, such as `questions`. */
  extensions?: Readonly<Record<string, unknown>> | undefined;
  details?: readonly Problem[];
  /** MAX_PROBLEMS by default. */
  maxDetails?: number | undefined;
  /** Number of problems in addition to the details. */
  omittedDetails?: number;
  cause?: unknown;
}

/** An error whose message the client may read. Most others are logged and masked, see `toAppError`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly details: readonly Problem[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(cutMessage(message), { cause: options.cause });
    const details = options.details && cutProblems(options);
    this.name = "AppError";
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.headers = options.headers ?? {};
    this.extensions = { ...options.extensions, ...(details && { details }) };
    this.details = details;
  }
}

/** Creates RATE_LIMIT_EXCEEDED. `reason` is the first sentence; the next attempt is allowed after `waitMs`. */
export function tooMany(reason: string, waitMs: number): AppError {
  const seconds = Math.max(Math.ceil(waitMs / 1_000), 1);
  const message = `${reason} Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  return new AppError("RATE_LIMIT_EXCEEDED", message, { headers: { "Retry-After": String(seconds) } });
}

/** An error in a command or the environment. Commands print only its message, without a stack. */
export class OperatorError extends Error {
  /**
   * 1: the command failed; 2: its arguments or the environment were invalid; 130 and 143: SIGINT or SIGTERM stopped it.
   */
  readonly exitCode: 1 | 2 | 130 | 143;

  constructor(message: string, exitCode: OperatorError["exitCode"] = 1) {
    super(message);
    this.name = "OperatorError";
    this.exitCode = exitCode;
  }
}
