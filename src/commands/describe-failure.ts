import { isDatabaseUnavailable } from "../data/database/unavailable.js";

/** The message for a failure that no command expected; `environment` tells which variable is to blame. */
export function describeFailure(error: unknown, environment: NodeJS.ProcessEnv): string {
  const { code, message, port, hostname } = error as NodeJS.ErrnoException & {
    port?: number;
    hostname?: string;
  };
  if (code === "EADDRINUSE") {
    const variable = String(port) === environment["METRICS_PORT"] ? "METRICS_PORT" : "PORT";
    return `Port ${port} is taken by another process. Stop it, or set ${variable}.`;
  }
  if (code === "EADDRNOTAVAIL" || (hostname !== undefined && hostname === environment["HOST"]))
    return `HOST is not an address of this machine: ${message}`;
  if (code === "53100")
    return `The disk of the database is full, and nothing was changed: ${message}. Free some space there, and run this again.`;
  const denied = /permission denied for [\w ]+/.exec(message)?.[0];
  if (denied !== undefined)
    return `PostgreSQL refuses it: ${denied}. Commands need the role that owns the schema: see Roles of PostgreSQL in docs/operations.md.`;
  if (isDatabaseUnavailable(error))
    return `The database of DATABASE_URL cannot be reached: ${message || code}`;
  if (code === "EACCES") return "This user may not listen on that port. Set PORT to one above 1023.";
  return `Failed: ${message || code || String(error)}`;
}
