import type { IncomingMessage, ServerResponse } from "node:http";
import { sendError } from "./envelope.js";
import { toAppError } from "./failure.js";
import type { RequestInfo } from "./request-info.js";
import type { Surface } from "./surface.js";

/** A request on its way to the surface that answers it. */
export interface Arrival {
  readonly request: RequestInfo;
  readonly surface: Surface;
  /** Path of the URL, without the query. */
  readonly path: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers with a failure: in GraphQL's form under /graphql, in the envelope everywhere else. */
export function answerFailure(
  { request, surface, response, headers }: Pick<Arrival, "request" | "surface" | "response" | "headers">,
  thrown: unknown,
): void {
  if (response.headersSent) return;
  const error = toAppError(thrown, request.log);
  if (surface !== "graphql") {
    sendError(response, request, [headers], error);
    return;
  }
  const { status, code, message, extensions } = error;
  const body = JSON.stringify({ errors: [{ message, extensions: { ...extensions, code } }] });
  const form = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  };
  response.writeHead(status, { ...headers, ...error.headers, ...form });
  response.end(body);
}
