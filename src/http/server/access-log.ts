import type { IncomingMessage, ServerResponse } from "node:http";
import { hideKeys } from "../../domain/keys/text.js";
import type { RequestInfo } from "../request-info.js";
import type { Surface } from "../surface.js";

export interface AnsweredRequest {
  readonly surface: Surface;
  /** Path of the URL without the query, which may hold anything and is not logged. */
  readonly path: string;
  readonly request: RequestInfo;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/** The fields of a request's line in the access log. */
export type AccessLogLine = ReturnType<typeof describeAnswer>;

/** Describes a request that took `ms`: who sent it, what it asked for and how it ended. Never holds a key. */
export function describeAnswer({ surface, path, request, incoming, response }: AnsweredRequest, ms: number) {
  const { principal, operation, cost, client, outcome } = request.record;
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
    client: client && hideKeys(client),
    outcome,
    // Even with a status: a client that leaves while sending its body is answered, too.
    aborted: isAborted(incoming, response) ? true : undefined,
  };
}

/** The status that nginx and others log for a client that left before it was answered. */
const CLIENT_CLOSED_REQUEST = 499;

/** Returns the status that was sent, or 499 if none was. */
export function statusOf({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
}

/** Returns true if the client left before it had sent its whole request or received its whole answer. */
function isAborted({ socket, errored }: IncomingMessage, { writableFinished }: ServerResponse): boolean {
  return socket.destroyed || !writableFinished || errored !== null;
}
