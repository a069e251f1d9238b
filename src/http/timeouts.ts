import type { IncomingMessage, ServerOptions, ServerResponse } from "node:http";
import type { AppError } from "../errors.js";
import { unreadable } from "./unreadable.js";

/** How long a client may take, in milliseconds. */
export interface Patience {
  /** From the connection, or a request's first byte, to the end of its headers. */
  readonly headersMs: number;
  /** From the headers to the end of the body. */
  readonly bodyMs: number;
  /** While it takes nothing of an answer that is there; more than for a body, which is refused by an answer. */
  readonly answerMs: number;
}

/** Much for the small requests that this API has, and little for connections that only occupy the server. */
export const PATIENCE: Patience = { headersMs: 10_000, bodyMs: 20_000, answerMs: 30_000 };

/** Options of a server whose clients have `patience`, and keep idle connections for longer than proxies do. */
export function serverOptions({ headersMs, bodyMs }: Patience): ServerOptions {
  return {
    keepAliveTimeout: 65_000,
    headersTimeout: headersMs,
    // A client that is still sending when it has its answer; `limitBody` refuses the others before.
    requestTimeout: headersMs + bodyMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs / 2),
    // Node would answer a request without Host by itself and not in the envelope.
    requireHostHeader: false,
  };
}

/** Calls `refuse` where the body of a request that is not answered yet has not come within `ms`. */
export function limitBody(
  { incoming, response, ms }: { incoming: IncomingMessage; response: ServerResponse; ms: number },
  refuse: (error: AppError) => void,
): void {
  const giveUp = () => {
    if (incoming.complete || response.headersSent) return;
    refuse(unreadable(408));
  };
  // After what lies unread has been read: it may be this process that was slow.
  const timer = setTimeout(() => setImmediate(giveUp), ms);
  response.once("close", () => clearTimeout(timer));
}
