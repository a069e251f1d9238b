import type { IncomingMessage, ServerResponse } from "node:http";
import { maskSecrets } from "../../domain/keys/secrets.js";
import type { RequestInfo } from "../request-info.js";
import type { Surface } from "../surface.js";

export interface AnsweredRequest {
  readonly surface: Surface;
  /** Path of the URL without the query, which is not logged because it may contain anything. */
  readonly path: string;
  readonly request: RequestInfo;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/** The fields of a request's line in the access log. */
export type AccessLogLine = ReturnType<typeof describeAnswer>;

/** Describes a request that took `ms` milliseconds: its sender, its target and its outcome. Never contains a key. */
export function describeAnswer({ surface, path, request, incoming, response }: AnsweredRequest, ms: number) {
  const { principal, operation, cost, client, outcome } = request.record;
  return {
    request_id: request.id,
    trace_id: request.traceId,
    ...principal,
    surface,
    operation: operation && maskSecrets(operation),
    method: incoming.method,
    path: maskSecrets(path),
    status: statusOf(response),
    duration_ms: Math.round(ms * 1_000) / 1_000,
    cost,
    client: client && maskSecrets(client),
    outcome,
    // Logged for every status, because a client that disconnects while sending its body also gets a response.
    aborted: isAborted(incoming, response) ? true : undefined,
  };
}

/** Status that nginx and others log for a client that disconnects before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/** Returns the status sent, or 499 if none was. */
export function statusOf({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
}

/** Returns true if the connection was lost before the whole request had arrived or the whole response was sent. */
function isAborted({ socket, errored }: IncomingMessage, { writableFinished }: ServerResponse): boolean {
  return socket.destroyed || !writableFinished || errored !== null;
}
