/** Codes of Prisma for a database that is away, or too busy to give a connection. */
const UNAVAILABLE = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2037"]);
/** PostgreSQL's codes (classes 08, 53 and 57) and Node's for the same. */
const UNAVAILABLE_CAUSE =
  /^(08...|53...|57014|57P0.|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Whether an error says that the database is away for now, so that asking again later makes sense. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code = "code" in at ? String(at.code) : "";
    if (UNAVAILABLE.has(code) || UNAVAILABLE_CAUSE.test(code)) return true;
    // Prisma puts the driver's error there, and not under `cause`.
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

/** Codes of a connection that is refused, for want of a free one too, or is ended from the other side. */
const CONNECTION_LOST = /^(08...|53300|57P0.|ECONN\w+|EPIPE)$/;

/**
 * Whether an error of the driver says that a statement had no connection, or lost it, so that one that only reads may
 * have another at once. A server that does not answer is something else: it was waited for.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return CONNECTION_LOST.test(code) || /terminated unexpectedly|not queryable/.test(error.message);
}
