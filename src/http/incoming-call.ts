import type { IncomingMessage, ServerResponse } from "node:http";
import { JSON_TYPE, sendError } from "./answer/envelope.js";
import { methodNotAllowed, toAppError } from "./answer/failure.js";
import type { RequestInfo } from "./request-info.js";
import { answerScimFailure } from "./scim.js";
import type { Surface } from "./surface.js";

/** An incoming HTTP request with its response, on its way to the surface that answers it. */
export interface IncomingCall {
  readonly request: RequestInfo;
  readonly surface: Surface;
  /** Path of the URL, without the query. */
  readonly path: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the parameters of a request's URL, which may be absolute (RFC 9112, section 3.2.2). */
export const queryOf = ({ url = "" }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);

/** Answers OPTIONS; returns false for another allowed method. Throws METHOD_NOT_ALLOWED for all others. */
export function answersOptions(
  { incoming, response, headers }: Pick<IncomingCall, "incoming" | "response" | "headers">,
  allowed: readonly string[],
): boolean {
  const { method = "" } = incoming;
  if (!allowed.includes(method)) throw methodNotAllowed(method, allowed);
  if (method !== "OPTIONS") return false;
  response.writeHead(204, { ...headers, Allow: allowed.join(", ") }).end();
  return true;
}

/** First JSON-RPC error code for failures that the protocol does not define. */
const JSON_RPC_FAULT = -32_000;

/** Sends a failure in the format of its surface: GraphQL's, JSON-RPC's, SCIM's, or the envelope. */
export function answerFailure(
  { request, surface, response, headers }: Pick<IncomingCall, "request" | "surface" | "response" | "headers">,
  thrown: unknown,
): void {
  if (response.headersSent) return;
  if (surface === "scim") {
    answerScimFailure({ request, response, headers }, thrown);
    return;
  }
  const error = toAppError(thrown, request.log);
  if (surface !== "graphql" && surface !== "mcp") {
    sendError(response, request, [headers], error);
    return;
  }
  const { status, code, message, extensions } = error;
  const body = JSON.stringify(
    surface === "graphql"
      ? { errors: [{ message, extensions: { ...extensions, code } }] }
      : {
          jsonrpc: "2.0",
          id: null,
          error: { code: JSON_RPC_FAULT, message, data: { code, request_id: request.id } },
        },
  );
  const form = {
    "Content-Type": JSON_TYPE,
    "Content-Length": Buffer.byteLength(body),
  };
  response.writeHead(status, { ...headers, ...error.headers, ...form });
  response.end(body);
}
