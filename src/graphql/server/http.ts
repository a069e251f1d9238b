import type { ServerResponse } from "node:http";
import { HeaderMap, type HTTPGraphQLRequest, type HTTPGraphQLResponse } from "@apollo/server";
import { isObject } from "../../domain/is-object.js";
import { sendCompressible, sendPlain } from "../../http/answer/compress.js";
import { listHeaders } from "../../http/answer/envelope.js";
import { type BodyCall, readJson } from "../../http/body/body.js";

/** Optional parts of a request, which clients may send empty (GraphQL over HTTP, section 6.1). */
const OPTIONAL = ["operationName", "variables", "extensions"];

/** Removes empty optional parameters from a query string. */
function withoutEmpty(search: string): string {
  const parameters = new URLSearchParams(search);
  for (const name of OPTIONAL) parameters.delete(name, "");
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** Reads a request for Apollo Server, without optional parts that are empty. Rejects if its body cannot be read. */
export async function readOperation(incomingCall: BodyCall): Promise<HTTPGraphQLRequest> {
  const { incoming } = incomingCall;
  const body = await readJson(incomingCall);
  if (isObject(body)) for (const name of OPTIONAL) if (body[name] === "") delete body[name];
  const headers = new HeaderMap(Object.entries(incoming.headers) as [string, string][]);
  const search = withoutEmpty(/^[^?#]*(\?[^#]*)/.exec(incoming.url ?? "")?.[1] ?? "");
  return { method: incoming.method ?? "", headers, search, body };
}

/** Returns a part of a request; null or undefined if absent. In a body it can be any JSON. */
export function partOf(
  { method, search, body }: HTTPGraphQLRequest,
  name: "query" | "operationName",
): unknown {
  return method === "GET"
    ? new URLSearchParams(search).get(name)
    : (body as Record<string, unknown> | null | undefined)?.[name];
}

/** Returns the body of Apollo Server's response. */
export function textOf({ body }: HTTPGraphQLResponse): string {
  if (body.kind !== "complete")
    throw new Error("Apollo Server sent a multipart response, which was not requested");
  return body.string;
}

/**
 * Sends Apollo Server's response with its own headers and those of `parts`; compressed if `isCompressible` and the
 * client accepts it.
 */
export function sendAnswer(
  response: ServerResponse,
  answer: HTTPGraphQLResponse,
  parts: readonly Readonly<Record<string, string>>[],
  isCompressible: boolean,
): void {
  const { status = 200, headers } = answer;
  const text = textOf(answer);
  const list = listHeaders([], parts);
  // The Cache-Control in `parts` is stricter than Apollo Server's.
  for (const [name, value] of headers) if (name !== "cache-control") list.push(name, value);
  const send = isCompressible ? sendCompressible : sendPlain;
  send(response, status, list, text, Buffer.byteLength(text));
}
