import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import type { AppError } from "../errors.js";
import type { Log } from "../log.js";
import { describeAnswer, statusOf } from "./access-log.js";
import { type Connections, keepConnections } from "./connections.js";
import { sendError } from "./envelope.js";
import { toAppError } from "./failure.js";
import { commonHeaders, shareWith, varyOf } from "./headers.js";
import type { RequestMetrics, RequestTracing } from "./observer.js";
import { createRequestReader, hasBody, methodOf, readPath } from "./request.js";
import type { RequestInfo } from "./request-info.js";
import { routeOf, type Surface, surfaceOf } from "./surface.js";
import { limitBody, type Patience, serverOptions } from "./timeouts.js";
import { type Receiving, refuseTunnel, refuseUnreadable } from "./unreadable.js";

/** A request on its way to what answers it. */
export interface Arrival {
  readonly request: RequestInfo;
  readonly surface: Surface;
  /** Of the address, without its query. */
  readonly path: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers that the answer has in any case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface FrontOptions {
  readonly clock: () => Date;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  readonly tracing: RequestTracing;
  readonly trustProxy: number;
  readonly corsOrigins: readonly string[];
  /** What a request may wait for the database in all. */
  readonly timeLimitMs: number;
  readonly patience: Patience;
  readonly isDraining: () => boolean;
  /** Answers what has got this far. Of the REST surface the headers are not set yet. */
  readonly answer: (arrival: Arrival) => void;
}

export interface Front {
  readonly server: Server;
  readonly drain: Connections["drain"];
}

/** Makes the server that every request comes through: it is described, timed, logged, and refused where it cannot be read. */
export function createFront(options: FrontOptions): Front {
  const { clock, log, metrics, tracing, corsOrigins, patience, isDraining, answer } = options;
  const describeRequest = createRequestReader(options);
  const share = corsOrigins.length > 0 ? shareWith(corsOrigins) : undefined;
  const vary = varyOf(corsOrigins);
  const receiving: Receiving = new WeakMap();

  const serve = (incoming: IncomingMessage, response: ServerResponse) => {
    // It comes over a connection that is being closed: nobody would get the answer.
    if (incoming.socket.writableEnded) return void incoming.resume();
    const started = performance.now();
    const [path, unreadable] = readPath(incoming);
    const surface = surfaceOf(path);
    const span = surface === "operations" ? undefined : tracing.begin(incoming);
    const request = describeRequest(incoming, span?.traceId);
    const headers = commonHeaders(request.id, vary);
    const arrival = { request, surface, path, incoming, response, headers };
    metrics.began();
    // What waits behind another of its connection is not told when that is lost.
    const waits = response.socket === null;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      const { socket, complete } = incoming;
      if (waits) socket.off("close", end);
      const ms = performance.now() - started;
      const received = () => {
        connections.answered(socket);
        if (receiving.get(socket)?.incoming === incoming) receiving.delete(socket);
      };
      if (complete) received();
      else {
        connections.answered(socket);
        incoming.once("end", received);
      }
      const route = routeOf(surface, path, request.record);
      metrics.ended(surface, methodOf(incoming), route, statusOf(response), ms / 1_000);
      if (surface === "operations") return;
      const line = describeAnswer(arrival, ms);
      span?.end(response, line, route);
      log.writePlain(line, "request");
    };
    response.on("close", end);
    if (waits) incoming.socket.on("close", end);
    // So that clients which keep their connections move to another process before this one refuses new ones.
    if (isDraining()) response.shouldKeepAlive = false;
    if (unreadable) {
      const refuse = () => answerFailure(arrival, unreadable);
      return share ? passOn(share, arrival, refuse) : refuse();
    }
    if (hasBody(incoming)) {
      const refuse = (error: AppError) => {
        // What still comes of it must not be taken for the next request.
        response.shouldKeepAlive = false;
        answerFailure(arrival, error);
      };
      limitBody({ incoming, response, ms: patience.bodyMs }, refuse);
      receiving.set(incoming.socket, { incoming, response, refuse });
    }
    // Whoever answers adds them to its own; preflights are answered before that.
    if (share) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    }
    const go = () => (share ? passOn(share, arrival, answer) : answer(arrival));
    if (span) span.run(go);
    else go();
  };

  const server = createServer(serverOptions(patience), serve);
  const connections = keepConnections(server, patience);
  // Node would leave those without an answer who send their request and close their side at once, as `nc -N` does.
  Object.assign(server, { httpAllowHalfOpen: true });
  // It would answer a request with an unknown Expect by itself and not in the envelope.
  server.on("checkExpectation", serve);
  server.on("clientError", refuseUnreadable(clock, receiving));
  server.on("connect", refuseTunnel(clock));
  return { server, drain: connections.drain };
}

function passOn(middleware: RequestHandler, arrival: Arrival, next: (arrival: Arrival) => void): void {
  const { incoming, response } = arrival;
  middleware(incoming as Parameters<RequestHandler>[0], response as Parameters<RequestHandler>[1], () =>
    next(arrival),
  );
}

/** The end of every failure: GraphQL's form under /graphql, the envelope everywhere else. */
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
