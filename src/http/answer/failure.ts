import { isDatabaseUnavailable } from "../../data/database/unavailable.js";
import { maskSecrets } from "../../domain/keys/secrets.js";
import { AppError } from "../../errors.js";
import type { Logger } from "../../log.js";

/** The message that replaces those of unexpected errors. */
export const INTERNAL_ERROR_MESSAGE =
  "Internal error. Quote the X-Request-Id of this response when you contact support.";

/**
 * Converts anything thrown to an AppError for the client. An AppError is unchanged, and logged if its status is 500 or
 * above. An error of a library that could not read the request becomes BAD_REQUEST. Everything else is logged with its
 * cause, and masked as INTERNAL_ERROR.
 */
export function toAppError(error: unknown, log: Logger): AppError {
  if (error instanceof AppError) {
    if (error.status >= 500) log.error({ err: error }, "request failed");
    return error;
  }
  const status = requestFault(error);
  if (status !== undefined) {
    return new AppError("BAD_REQUEST", REQUEST_FAULTS[status] ?? "Malformed request.", { status });
  }
  log.error({ err: error }, "request failed");
  const isTemporary = isDatabaseUnavailable(error);
  return new AppError("INTERNAL_ERROR", INTERNAL_ERROR_MESSAGE, {
    cause: error,
    ...(isTemporary && { headers: { "Retry-After": "2" } }),
  });
}

/** Creates the error for a path that does not exist. */
export function pathNotFound(path: string): AppError {
  const single = path.replaceAll(/\/{2,}/g, "/");
  const advice = single === path ? "" : `. Send it without the double slash: ${maskSecrets(single)}`;
  return new AppError("NOT_FOUND", `No such endpoint: ${maskSecrets(path)}${advice}`);
}

/** Methods of a read-only path. */
export const READ_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Creates the error for a method other than the allowed ones. */
export function methodNotAllowed(
  method: string | undefined,
  allowed: readonly string[] = READ_METHODS,
): AppError {
  const useful = allowed.filter((name) => name !== "HEAD" && name !== "OPTIONS");
  const last = useful.at(-1);
  const use = useful.length > 1 ? `${useful.slice(0, -1).join(", ")} or ${last}` : last;
  const message = `${method} is not allowed here. Use ${use}.`;
  return new AppError("METHOD_NOT_ALLOWED", message, { headers: { Allow: allowed.join(", ") } });
}

const REQUEST_FAULTS: Record<number, string> = {
  400: "Malformed URL or request body.",
  413: "The request body is too large.",
  415: "Unsupported content type, encoding or charset of the request body.",
};

const UNREADABLE = {
  400: "Malformed HTTP request.",
  408: "The request took too long to arrive.",
  431: "The request headers are too large.",
} as const;

/**
 * Creates the error for an HTTP request that cannot be read: malformed, too slow, or with headers that are too large.
 */
export const unreadable = (status: keyof typeof UNREADABLE): AppError =>
  new AppError("BAD_REQUEST", UNREADABLE[status], { status });

/** Returns the 4xx status that Express and body-parser set on errors of the request itself. */
function requestFault(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status } = error as { status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}
