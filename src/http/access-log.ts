import type { IncomingMessage, ServerResponse } from "node:http";
import { hideKeys } from "../domain/key-text.js";
import type { RequestInfo } from "./request-info.js";
import type { Surface } from "./surface.js";

export interface AnsweredRequest {
  readonly surface: Surface;
  /** Of the address, without its query: what a caller puts there is nobody's business. */
  readonly path: string;
  readonly request: RequestInfo;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/** What the log tells of a request. */
export type AccessLogLine = ReturnType<typeof describeAnswer>;

/** The line of a request that took `ms` to its end: whose it was, what it asked, and how it ended. It holds no key. */
export function describeAnswer({ surface, path, request, incoming, response }: AnsweredRequest, ms: number) {
  const { principal, operation, cost } = request.record;
  return {
    request_id: request.id,
    trace_id: request.traceId,
    ...principal,
    surface,
    operation: operation && hideKeys(operation),
    method: incoming.method,
    path: hideKeys(path),
    status: statusOf(response),
    duration_ms: Math.round(ms * 1_000) / 1_000,
    cost,
    // A client that leaves in the middle of its body is answered all the same.
    aborted: isAborted(incoming, response) ? true : undefined,
  };
}

/** What nginx and others have for a client that has left before it was answered. */
const CLIENT_CLOSED_REQUEST = 499;

/** The status that was sent, or 499 where none was. */
export function statusOf({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
}

/** Whether the client has left before it had all of its answer, or had sent all of its request. */
function isAborted({ socket, errored }: IncomingMessage, { writableFinished }: ServerResponse): boolean {
  return socket.destroyed || !writableFinished || errored !== null;
}
