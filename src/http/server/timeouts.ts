import type { IncomingMessage, ServerOptions, ServerResponse } from "node:http";
import type { AppError } from "../../errors.js";
import { unreadable } from "../failure.js";

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** From the connection, or a request's first byte, to the end of its headers. */
  readonly headersMs: number;
  /** From the end of the headers to the end of the body. */
  readonly bodyMs: number;
  /** Without reading anything of an answer. Longer than for a body, whose refusal is an answer. */
  readonly answerMs: number;
}

/** Long enough for the small requests of this API, short enough for connections that only occupy the server. */
export const TIMEOUTS: Timeouts = { headersMs: 10_000, bodyMs: 20_000, answerMs: 30_000 };

/** Options of a server with these timeouts, which keeps idle connections for longer than proxies do. */
export function serverOptions({ headersMs, bodyMs }: Timeouts): ServerOptions {
  return {
    keepAliveTimeout: 65_000,
    headersTimeout: headersMs,
    // For a client that still sends after it has its answer; `limitBody` refuses the others earlier.
    requestTimeout: headersMs + bodyMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs / 2),
    // Otherwise Node answers a request without a Host header itself, without the envelope.
    requireHostHeader: false,
  };
}

/** Calls `refuse` if the body of an unanswered request has not arrived within `ms`. */
export function limitBody(
  { incoming, response, ms }: { incoming: IncomingMessage; response: ServerResponse; ms: number },
  refuse: (error: AppError) => void,
): void {
  const giveUp = () => {
    if (incoming.complete || response.headersSent) return;
    refuse(unreadable(408));
  };
  // First reads what has arrived: this process may have been the slow one.
  const timer = setTimeout(() => setImmediate(giveUp), ms);
  response.once("close", () => clearTimeout(timer));
}
