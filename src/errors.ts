/** Every error code that clients can get, with its HTTP status. */
export const ERROR_STATUS = {
  INVALID_KEY: 401,
  RATE_LIMIT_EXCEEDED: 429,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 400,
  INTERNAL_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export interface AppErrorDetails {
  /** Instead of the code's own status, such as 413 or 431 for a request that cannot be read. */
  status?: number;
  headers?: Record<string, string>;
  /** Shown under `extensions` in GraphQL. */
  extensions?: Record<string, unknown>;
  cause?: unknown;
}

/** A failure whose message the client may read. Anything else that is thrown is logged and masked. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.status = details.status ?? ERROR_STATUS[code];
    this.headers = details.headers ?? {};
    this.extensions = details.extensions ?? {};
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
