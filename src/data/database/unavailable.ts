import { AppError } from "../../errors.js";

/** Prisma's codes for a database that is unreachable or out of connections. */
const UNAVAILABLE = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2037"]);
/** Codes of PostgreSQL (classes 08, 53 and 57, and 25006 from a standby) and Node.js for the same failures. */
const UNAVAILABLE_CAUSE =
  /^(08...|25006|53...|57014|57P0.|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Returns true if an error means that the database is temporarily unavailable, so that a later retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code = "code" in at ? String(at.code) : "";
    if (UNAVAILABLE.has(code) || UNAVAILABLE_CAUSE.test(code)) return true;
    // Prisma puts the driver's error into `meta` instead of `cause`.
    const meta = JSON.stringify("meta" in at ? at.meta : undefined) ?? "";
    if (/ConnectionClosed|DatabaseNotReachable|SocketTimeout|TooManyConnections/.test(meta)) return true;
    if (/"originalCode":"(08...|25006|53...|57014|57P0.)"/.test(meta)) return true;
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

/**
 * Returns true if the statement's connection must not be reused: it got no answer in time, or it leads to a server that
 * refuses writes because it is now a standby.
 */
export const isUnusable = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === "Query read timeout" || ("code" in error && error.code === "25006"));

/** Codes of a connection that the server closed or refused, including for lack of free connections. */
const CONNECTION_LOST = /^(08...|53300|57P0.|ECONN\w+|EPIPE)$/;

/**
 * Returns true if a driver's error means that a statement got no connection or lost it, so that a read can be retried
 * at once. Returns false for a timeout, which has used up the statement's time.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return CONNECTION_LOST.test(code) || /terminated unexpectedly|not queryable/.test(error.message);
}

/** Creates the error for a write that did not begin, or that PostgreSQL rolled back. */
export const databaseUnavailable = (cause: unknown) =>
  new AppError(
    "INTERNAL_ERROR",
    "The database is unavailable or overloaded. Nothing was changed. Try again in 2 seconds.",
    { status: 503, headers: { "Retry-After": "2" }, cause },
  );
