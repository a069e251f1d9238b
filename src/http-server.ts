import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import cors from "cors";
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from "express";
import parseUrl from "parseurl";
import proxyAddress from "proxy-addr";
import type { RequestInfo } from "./context.js";
import { AppError } from "./errors.js";
import type { Logger } from "./log.js";
import { errorBody } from "./rest/envelope.js";

/** Headers of every answer. `vary` names the request's headers that answers depend on. */
export const commonHeaders = (id: string, vary = "X-API-Key") => ({
  "X-Request-Id": id,
  "Cache-Control": "private, no-store",
  Vary: vary,
  "X-Content-Type-Options": "nosniff",
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface RequestReaderOptions {
  readonly clock: () => Date;
  readonly log: Logger;
  /** How many proxies in front are believed when they name the client. */
  readonly trustProxy: number;
}

/** Makes the function that describes a request: its id is the caller's where that is a UUID. */
export function createRequestReader({ clock, log, trustProxy }: RequestReaderOptions) {
  const trusts = (_address: string, hop: number) => hop < trustProxy;
  return (incoming: IncomingMessage): RequestInfo => {
    const given = incoming.headers["x-request-id"];
    const id = typeof given === "string" && UUID.test(given) ? given : randomUUID();
    let ownLog: Logger | undefined;
    return {
      id,
      now: clock(),
      get log() {
        ownLog ??= log.child({ request_id: id });
        return ownLog;
      },
      address: () => proxyAddress(incoming, trusts),
    };
  };
}

const EXPOSED_HEADERS = [
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "WWW-Authenticate",
];

/** The headers of a request that answers depend on, where pages of these origins may read them. */
export function varyOf(origins: readonly string[]): string {
  return origins.some((origin) => origin !== "*") ? "X-API-Key, Origin" : "X-API-Key";
}

/** Middleware that lets pages of these origins read answers. */
export function shareWith(origins: readonly string[]): RequestHandler {
  const origin = origins.includes("*") ? "*" : [...origins];
  const methods = ["GET", "HEAD", "POST"];
  const share = cors({ origin, methods, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  // The library takes every OPTIONS for a preflight, and would answer in the place of the routes.
  return (request, response, next) => {
    const { method, headers } = request;
    if (method === "OPTIONS" && headers["access-control-request-method"] === undefined) next();
    else share(request, response, next);
  };
}

const MESSAGES: Record<number, string> = {
  400: "The request cannot be read: it is not well-formed HTTP.",
  408: "The request took too long to arrive.",
  431: "The request's headers are too large.",
};

/** Answers, in the envelope, a request that Node could not read: its listener for `clientError`. */
export function refuseUnreadable(clock: () => Date) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // Written now, it would be taken for the answer to an earlier request of the connection, or stand in its middle.
    const isAnswering = (socket as { _httpMessage?: ServerResponse | null })._httpMessage != null;
    if (!socket.writable || isAnswering || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const status =
      error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    const id = randomUUID();
    const body = errorBody({ id, now: clock() }, { code: "BAD_REQUEST", message: MESSAGES[status] ?? "" });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(commonHeaders(id)).map(([name, value]) => `${name}: ${value}`),
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  };
}

/**
 * The path of a request's address, without its query. Throws BAD_REQUEST where the request is well-formed enough for
 * Node's parser and yet cannot be understood.
 */
export function readPath(request: IncomingMessage): string {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    throw new AppError("BAD_REQUEST", "The request cannot be read: it has no Host header.");
  }
  const path = findPathname(request);
  if (path == null)
    throw new AppError("BAD_REQUEST", "The request cannot be read: its address is malformed.");
  try {
    decodeURIComponent(path);
  } catch {
    throw new AppError("BAD_REQUEST", "The request cannot be read: its path has malformed percent-encoding.");
  }
  return path;
}

function findPathname(request: IncomingMessage): string | null | undefined {
  try {
    return parseUrl(request)?.pathname;
  } catch {
    return undefined;
  }
}

/** Listens; rejects where the address cannot be had. */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

const DRAIN_MS = 10_000;

/**
 * Refuses new connections, lets requests under way finish for up to 10 seconds, then cuts what is left. Answers must
 * say `Connection: close` by now: a client that keeps its connection would go on asking, and be cut in the middle.
 */
export async function drainConnections(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

/** What listens beside the gateway's own port. */
export interface SideServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves a few paths on a port of their own; everything else is 404 there. Rejects where the port cannot be had. */
export async function startSideServer(
  router: RequestHandler,
  address: { readonly port: number; readonly host: string },
  clock: () => Date,
): Promise<SideServer> {
  const refuse = (response: Response, error: AppError) => {
    const id = randomUUID();
    response.status(error.status).set(commonHeaders(id)).type("json");
    response.send(errorBody({ id, now: clock() }, error));
  };
  const failed: ErrorRequestHandler = (thrown, _request, response, next) => {
    if (response.headersSent) next(thrown);
    else refuse(response, new AppError("INTERNAL_ERROR", "Internal error."));
  };
  const app = express().disable("x-powered-by").disable("etag").enable("case sensitive routing");
  app.use(router);
  app.use((request, response) => {
    refuse(response, new AppError("NOT_FOUND", `There is nothing at ${request.path}.`));
  });
  app.use(failed);
  const server = createServer(app);
  server.on("clientError", refuseUnreadable(clock));
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
