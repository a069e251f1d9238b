import type { IncomingMessage, ServerOptions, ServerResponse } from "node:http";
import type { AppError } from "../../errors.js";
import { unreadable } from "../failure.js";

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** From the connection, or a request's first byte, to the end of its headers. */
  readonly headersMs: number;
  /** For the body, or for each part of a long one that arrives at LEAST_BYTES_PER_SECOND. */
  readonly bodyMs: number;
  /** Without reading anything of an answer. Longer than for a body, whose refusal is an answer. */
  readonly answerMs: number;
}

/** Long enough for the small requests of this API, short enough for connections that only occupy the server. */
export const TIMEOUTS: Timeouts = { headersMs: 10_000, bodyMs: 20_000, answerMs: 30_000 };

/** How fast a body must arrive to take longer than `bodyMs`: 512 MB in less than 12 hours. */
const LEAST_BYTES_PER_SECOND = 12_500;

/** Options of a server with these timeouts, which keeps idle connections for longer than proxies do. */
export function serverOptions({ headersMs }: Timeouts): ServerOptions {
  return {
    keepAliveTimeout: 65_000,
    headersTimeout: headersMs,
    // `limitBody` does it: a file may take longer.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, headersMs / 2),
    // Otherwise Node answers a request without a Host header itself, without the envelope.
    requireHostHeader: false,
  };
}

/**
 * Calls `refuse` if the body of an unanswered request does not arrive within `ms`, or goes on for longer and is slow. Closes
 * the connection of a client that still sends when it has its answer.
 */
export function limitBody(
  { incoming, response, ms }: { incoming: IncomingMessage; response: ServerResponse; ms: number },
  refuse: (error: AppError) => void,
): void {
  const { socket } = incoming;
  let bytesRead = socket.bytesRead;
  const look = () => {
    if (incoming.complete) return;
    if (response.headersSent) return void socket.destroy();
    const isSlow = socket.bytesRead - bytesRead < (LEAST_BYTES_PER_SECOND * ms) / 1_000;
    if (isSlow) refuse(unreadable(408));
    // Also after a refusal, which a client may go on to ignore.
    wait();
  };
  let timer: NodeJS.Timeout;
  const wait = () => {
    bytesRead = socket.bytesRead;
    // First reads what has arrived: this process may have been the slow one.
    timer = setTimeout(() => setImmediate(look), ms);
  };
  wait();
  incoming.once("close", () => clearTimeout(timer));
}
