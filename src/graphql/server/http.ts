import type { IncomingMessage, ServerResponse } from "node:http";
import { HeaderMap, type HTTPGraphQLRequest, type HTTPGraphQLResponse } from "@apollo/server";
import express, { type Request, type Response } from "express";
import type { RequestInfo } from "../../http/request-info.js";

/** A request for the graph, and the headers that its answer has in any case. */
export interface GraphqlArrival {
  readonly request: RequestInfo;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
}

const parseJson = express.json({ limit: "256kb" });

/** Reads a request as Apollo Server takes it; rejects if its body cannot be read. */
export function readOperation(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<HTTPGraphQLRequest> {
  return new Promise((resolve, reject) => {
    parseJson(incoming as Request, response as Response, (error: unknown) => {
      if (error) return reject(error);
      const headers = new HeaderMap(Object.entries(incoming.headers) as [string, string][]);
      const search = /^[^?#]*(\?[^#]*)/.exec(incoming.url ?? "")?.[1] ?? "";
      resolve({ method: incoming.method ?? "", headers, search, body: (incoming as Request).body });
    });
  });
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
