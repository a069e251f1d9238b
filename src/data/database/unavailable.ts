/** Prisma's codes for a database that cannot be reached, or has no connection to spare. */
const UNAVAILABLE = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2037"]);
/** PostgreSQL's codes (classes 08, 53 and 57) and Node's for the same failures. */
const UNAVAILABLE_CAUSE =
  /^(08...|53...|57014|57P0.|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Whether an error says that the database is temporarily unavailable, so that retrying later makes sense. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code = "code" in at ? String(at.code) : "";
    if (UNAVAILABLE.has(code) || UNAVAILABLE_CAUSE.test(code)) return true;
    // Prisma puts the driver's error into `meta` instead of `cause`.
    const meta = JSON.stringify("meta" in at ? at.meta : undefined) ?? "";
    if (/ConnectionClosed|DatabaseNotReachable|SocketTimeout|TooManyConnections/.test(meta)) return true;
    if (/"originalCode":"(08...|53...|57014|57P0.)"/.test(meta)) return true;
    if (
      /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|not queryable|Can't reach database/i.test(
        at.message,
      )
    ) {
      return true;
    }
  }
  return false;
}

/** Whether a statement got no answer within its time, so that its connection cannot be used any more. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === "Query read timeout";

/** Codes of a connection that was refused, also because the server has none left, or was closed by the server. */
const CONNECTION_LOST = /^(08...|53300|57P0.|ECONN\w+|EPIPE)$/;

/**
 * Whether a driver's error says that a statement got no connection or lost it, so that a read can be retried at once. A
 * timeout is no such error: the statement has had its time.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return CONNECTION_LOST.test(code) || /terminated unexpectedly|not queryable/.test(error.message);
}
