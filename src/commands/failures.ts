import { CommanderError } from "commander";
import { ActionError, InvalidInput, type Subject } from "../actions/action-error.js";
import { type Environment, readVariables } from "../config/read-variables.js";
import { findMemoryFault } from "../data/database/embedded/folder-faults.js";
import { findTlsRemedy } from "../data/database/server/tls.js";
import { isDatabaseUnavailable } from "../data/database/unavailable.js";
import { AppError, OperatorError } from "../errors.js";

/** Commands that list existing items, for messages about an item that does not exist. */
export const LIST_COMMANDS: Readonly<Partial<Record<Subject, string>>> = {
  organization: "organizations list",
  key: "keys list",
  serviceAccount: "service-accounts list",
  import: "import list --organization <slug>",
  user: "users list",
  invitation: "users list",
  session: "users list",
};

/** Returns the flag of an input field: `--expires-at` for `expiresAt`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the message for an action's error. */
export function describeActionError(error: ActionError): string {
  if (error instanceof InvalidInput && error.field !== null) {
    return `${flagOf(error.field)} ${error.fault}.`;
  }
  const list = LIST_COMMANDS[error.subject];
  if (error.code !== "NOT_FOUND" || list === undefined) return error.message;
  return `${error.message} See: npm run gateway -- ${list}`;
}

/**
 * Returns the exit code and message for anything that a command throws. The code is 0 for help, 2 for bad usage, an
 * OperatorError's own code, and otherwise 1. The message is null if it has already been printed.
 */
export function describeExit(
  error: unknown,
  environment: Environment,
): { code: number; message: string | null } {
  // Commander has already printed its message. Its exit code is 0 for help.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, message: null };
  if (error instanceof OperatorError) return { code: error.exitCode, message: error.message };
  if (error instanceof ActionError) {
    return { code: error instanceof InvalidInput ? 2 : 1, message: describeActionError(error) };
  }
  if (error instanceof AppError) return { code: 1, message: error.message };
  return { code: 1, message: describeFailure(error, environment) };
}

/** Returns the message for an unexpected failure. `given` shows which variable caused it. */
export function describeFailure(error: unknown, given: Environment): string {
  const { environment } = readVariables(given);
  const { code, message, port, hostname } = error as NodeJS.ErrnoException & {
    port?: number;
    hostname?: string;
  };
  if (code === "EADDRINUSE") {
    const variable = port === Number(environment["METRICS_PORT"]) ? "METRICS_PORT" : "PORT";
    return `Port ${port} is in use by another process. Stop that process, or set ${variable} to a different port.`;
  }
  if (code === "EADDRNOTAVAIL" || (hostname !== undefined && hostname === environment["HOST"]))
    return `HOST is not an address of this machine: ${message}`;
  // A server that runs out of memory has a code.
  const memoryFault = code === undefined ? findMemoryFault(message) : undefined;
  if (memoryFault !== undefined) return memoryFault;
  if (code === "53100")
    return `The database is out of disk space, and nothing was changed: ${message}. Free some space and try again.`;
  const denied = /permission denied for [\w ]+/.exec(message)?.[0];
  if (denied !== undefined)
    return `PostgreSQL: ${denied}. Run commands as the role that owns the schema. See Roles of PostgreSQL in docs/operations.md.`;
  const role = /role "[^"]*" (does not exist|is not permitted to log in)/.exec(message)?.[0];
  if (role !== undefined)
    return `PostgreSQL: ${role}. Create the role, or give it LOGIN. See Roles of PostgreSQL in docs/operations.md.`;
  const urls = [
    environment["DATABASE_URL"],
    environment["DATABASE_DIRECT_URL"],
    ...(environment["DATABASE_REPLICA_URLS"]?.split(",") ?? []),
  ].filter((url) => url !== undefined && URL.canParse(url));
  const remedy = urls.length > 0 ? findTlsRemedy(error, urls) : undefined;
  if (remedy !== undefined)
    return `Cannot connect to the database in DATABASE_URL: ${message || code}. ${remedy}`;
  if (isDatabaseUnavailable(error))
    return `Cannot connect to the database in DATABASE_URL: ${message || code}`;
  if (code === "EACCES" && port !== undefined)
    return "No permission to listen on this port. Set PORT or METRICS_PORT to a number above 1023.";
  return `Failed: ${message || code || String(error)}`;
}
