import type { IncomingMessage, ServerOptions, ServerResponse } from "node:http";
import { AppError } from "../../errors.js";

/** Time limits for a client, in milliseconds. */
export interface Timeouts {
  /** From the connection, or the first byte of a request, to the end of its headers. */
  readonly headersMs: number;
  /** For the body. A longer body gets this time again as long as it arrives at MIN_BYTES_PER_SECOND on average. */
  readonly bodyMs: number;
  /** For an entire long body. */
  readonly longBodyMs: number;
  /**
   * For a client that does not read its response. Longer than `bodyMs`, because the refusal of a body is a response,
   * too.
   */
  readonly answerMs: number;
}

/** Long enough for the small requests of this API, short enough for connections that only occupy the server. */
export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  bodyMs: 20_000,
  longBodyMs: 15 * 60_000,
  answerMs: 30_000,
};

/** Minimum speed of a body that takes longer than `bodyMs`. */
const MIN_BYTES_PER_SECOND = 100_000;

/** Returns server options with these timeouts. The server keeps idle connections for longer than proxies do. */
export function serverOptions({ headersMs }: Timeouts): ServerOptions {
  return {
    keepAliveTimeout: 65_000,
    headersTimeout: headersMs,
    // `limitBody` enforces it instead, because a file may take longer.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, headersMs / 2),
    // Otherwise Node itself answers a request without a Host header, without the envelope.
    requireHostHeader: false,
  };
}

/**
 * Calls `refuse` if the body of an unanswered request is slow and does not arrive within `bodyMs`, or does not arrive
 * within `longBodyMs`. Closes the connection of a client that is still sending after its response.
 */
export function limitBody(
  { incoming, response }: { incoming: IncomingMessage; response: ServerResponse },
  { bodyMs, longBodyMs }: Timeouts,
  refuse: (error: AppError) => void,
): void {
  const { socket } = incoming;
  const started = performance.now();
  let bytesRead = socket.bytesRead;
  const check = () => {
    if (incoming.complete) return;
    if (response.headersSent) return void socket.destroy();
    const isSlow = socket.bytesRead - bytesRead < (MIN_BYTES_PER_SECOND * bodyMs) / 1_000;
    if (isSlow || performance.now() - started >= longBodyMs) refuse(tooSlow());
    // Also after a refusal, because a client may ignore it.
    wait();
  };
  let timer: NodeJS.Timeout;
  const wait = () => {
    bytesRead = socket.bytesRead;
    // First reads what has arrived, because this process may have been the slow one. The body of a client that
    // disconnects may never count as closed, so the timer must not keep the process alive.
    timer = setTimeout(() => setImmediate(check), bodyMs).unref();
  };
  wait();
  incoming.once("close", () => clearTimeout(timer));
}

const tooSlow = () =>
  new AppError(
    "BAD_REQUEST",
    "The request's body took too long to arrive: expected at least 100 kB a second, and all of it within 15 minutes.",
    { status: 408 },
  );
