/** Every error code that clients can get, with its HTTP status. */
export const ERROR_STATUS = {
  INVALID_KEY: 401,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  REFRESH_TOKEN_REUSED: 401,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  CSRF_REJECTED: 403,
  RATE_LIMIT_EXCEEDED: 429,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  VALIDATION_FAILED: 422,
  UNIT_MISMATCH: 422,
  FACTOR_NOT_FOUND: 422,
  AMBIGUOUS_FACTOR: 422,
  ROUTE_REQUIRED: 422,
  NOT_COVERED: 422,
  NOT_SUPPORTED_FOR_MODULE: 422,
  INSUFFICIENT_DATA: 422,
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 400,
  INTERNAL_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** What is wrong with one part of an input, such as `organization.slug`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

export interface AppErrorOptions {
  /** Instead of the code's own status, such as 413 or 431 for a request that cannot be read. */
  status?: number;
  headers?: Record<string, string>;
  /** Shown under `extensions` in GraphQL. */
  extensions?: Record<string, unknown>;
  /** What is wrong with each part of the input. */
  details?: readonly Problem[];
  cause?: unknown;
}

/** A failure whose message the client may read. Anything else that is thrown is logged and masked. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly details: readonly Problem[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.headers = options.headers ?? {};
    this.extensions = { ...options.extensions, ...(options.details && { details: options.details }) };
    this.details = options.details;
  }
}

/** A mistake in a command or in the environment. Its message is printed as it is, without a stack. */
export class OperatorError extends Error {
  /** 1: the command failed; 2: it was called wrongly; 130 and 143: it was stopped by SIGINT or SIGTERM. */
  readonly exitCode: 1 | 2 | 130 | 143;

  constructor(message: string, exitCode: OperatorError["exitCode"] = 1) {
    super(message);
    this.name = "OperatorError";
    this.exitCode = exitCode;
  }
}
