import type { IncomingMessage, ServerResponse } from "node:http";
import { HeaderMap, type HTTPGraphQLRequest, type HTTPGraphQLResponse } from "@apollo/server";
import { readJson } from "../../http/body.js";

/** Reads a request as Apollo Server takes it; rejects if its body cannot be read. */
export async function readOperation(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<HTTPGraphQLRequest> {
  const body = await readJson(incoming, response);
  const headers = new HeaderMap(Object.entries(incoming.headers) as [string, string][]);
  const search = /^[^?#]*(\?[^#]*)/.exec(incoming.url ?? "")?.[1] ?? "";
  return { method: incoming.method ?? "", headers, search, body };
}

/** A part of a request, such as `query`: null or undefined if it is left out, and anything if the body holds no text there. */
export function partOf(
  { method, search, body }: HTTPGraphQLRequest,
  name: "query" | "operationName",
): unknown {
  return method === "GET"
    ? new URLSearchParams(search).get(name)
    : (body as Record<string, unknown> | null | undefined)?.[name];
}

/** Sends Apollo Server's answer with the headers of `parts` beside its own. */
export function sendAnswer(
  response: ServerResponse,
  { status = 200, headers, body }: HTTPGraphQLResponse,
  parts: readonly Readonly<Record<string, string>>[],
): void {
  // It was refused meanwhile.
  if (response.headersSent) return;
  if (body.kind !== "complete") throw new Error("an answer came in parts, which nothing here asks for");
  const list = ["Content-Length", String(Buffer.byteLength(body.string))];
  for (const part of parts) for (const name in part) list.push(name, part[name] as string);
  // What `parts` say of caches is stricter than what Apollo Server says of some errors.
  for (const [name, value] of headers) if (name !== "cache-control") list.push(name, value);
  response.writeHead(status, list);
  response.end(body.string);
}
