import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import type { AppError } from "../../errors.js";
import type { Log } from "../../log.js";
import { allowOrigins, commonHeaders, varyOf } from "../answer/headers.js";
import { answerFailure, type IncomingCall } from "../incoming-call.js";
import { createRequestReader, hasBody, methodOf, readPath } from "../request.js";
import { routeOf, surfaceOf } from "../surface.js";
import { describeAnswer, statusOf } from "./access-log.js";
import { type Connections, keepConnections } from "./connections.js";
import type { RequestMetrics, RequestSpan, RequestTracing } from "./observer.js";
import { limitBody, serverOptions, type Timeouts } from "./timeouts.js";
import { type Receiving, refuseTunnel, refuseUnreadable } from "./unreadable.js";

export interface HttpServerOptions {
  readonly clock: () => Date;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  readonly tracing: RequestTracing;
  /** Counts a request with an API key by the status of its response, or 499 without one. */
  readonly countUse: (keyId: string, status: number, now: Date) => void;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number;
  readonly corsOrigins: readonly string[];
  /** Total time that a request may wait for the database. */
  readonly timeLimitMs: number;
  readonly timeouts: Timeouts;
  readonly isDraining: () => boolean;
  /** Answers a readable request. Must set the headers of the call. */
  readonly answer: (incomingCall: IncomingCall) => void;
}

export interface HttpServer {
  readonly server: Server;
  readonly drain: Connections["drain"];
}

/**
 * Creates the HTTP server of all surfaces. Describes and measures every request, traces and logs all except those of
 * the surface `operations`, and refuses malformed ones.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { clock, tracing, metrics, corsOrigins, timeouts, isDraining, answer } = options;
  const describeRequest = createRequestReader(options);
  const vary = varyOf(corsOrigins);
  const applyCors = corsOrigins.length > 0 ? allowOrigins(corsOrigins) : null;
  const receiving: Receiving = new WeakMap();

  const serve = (incoming: IncomingMessage, response: ServerResponse) => {
    // The connection is closing, so nobody would get the response.
    if (incoming.socket.writableEnded) return void incoming.resume();
    const [path, malformed] = readPath(incoming);
    const surface = surfaceOf(path);
    const span = surface === "operations" ? undefined : tracing.begin(incoming);
    const request = describeRequest(incoming, span?.traceId);
    const headers = commonHeaders(request.id, vary);
    const incomingCall: IncomingCall = { request, surface, path, incoming, response, headers };
    metrics.began();
    whenOver(incomingCall, (ms) => {
      release(incoming);
      record(options, incomingCall, span, ms);
    });
    // Makes clients with kept-alive connections move to another process before this one refuses new connections.
    if (isDraining()) response.shouldKeepAlive = false;
    if (malformed)
      return answerWithCors(applyCors, incomingCall, () => answerFailure(incomingCall, malformed));
    if (hasBody(incoming)) watchBody(incomingCall);
    if (applyCors) {
      // Set before preflights are answered. The surfaces keep these headers.
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    }
    const respond = () => answerWithCors(applyCors, incomingCall, answer);
    if (span) span.run(respond);
    else respond();
  };

  /** Refuses a body that arrives too slowly or cannot be read. */
  const watchBody = (incomingCall: IncomingCall) => {
    const { incoming, response } = incomingCall;
    const refuse = (error: AppError) => {
      // Otherwise the rest of the body would count as the next request.
      response.shouldKeepAlive = false;
      answerFailure(incomingCall, error);
    };
    limitBody({ incoming, response }, timeouts, refuse);
    receiving.set(incoming.socket, { incoming, response, refuse });
  };

  /** Records how much an answered request has read from its connection, including its body. */
  const release = (incoming: IncomingMessage) => {
    const { socket } = incoming;
    connections.answered(socket);
    const received = () => {
      connections.answered(socket);
      if (receiving.get(socket)?.incoming === incoming) receiving.delete(socket);
    };
    if (incoming.complete) received();
    else incoming.once("end", received);
  };

  const server = createServer(serverOptions(timeouts), serve);
  const connections = keepConnections(server, timeouts);
  // Otherwise Node does not answer clients that close their side right after the request, as `nc -N` does.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Otherwise Node itself answers a request with an unknown Expect header, without the envelope.
  server.on("checkExpectation", serve);
  server.on("clientError", refuseUnreadable(clock, receiving));
  server.on("connect", refuseTunnel(clock));
  return { server, drain: connections.drain };
}

/** Calls `onOver` once, with the elapsed milliseconds, when a request has been answered or its connection is lost. */
function whenOver({ incoming, response }: IncomingCall, onOver: (ms: number) => void): void {
  const started = performance.now();
  const { socket } = incoming;
  // A request that waits behind another gets no event from Node when their connection is lost.
  const isWaiting = response.socket === null;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    if (isWaiting) socket.off("close", end);
    onOver(performance.now() - started);
  };
  response.on("close", end);
  if (isWaiting) socket.on("close", end);
}

/** Counts a finished request. Traces and logs it unless its surface is `operations`. */
function record(
  { metrics, log, countUse }: Pick<HttpServerOptions, "metrics" | "log" | "countUse">,
  incomingCall: IncomingCall,
  span: RequestSpan | undefined,
  ms: number,
): void {
  const { surface, path, request, incoming, response } = incomingCall;
  const route = routeOf(path, request.record);
  const status = statusOf(response);
  metrics.ended(surface, methodOf(incoming), route, status, ms / 1_000);
  const { principal } = request.record;
  // A tool reports a refusal as a result with status 200.
  const isRefused = request.record.outcome === "RATE_LIMIT_EXCEEDED";
  if (principal && "key_id" in principal) countUse(principal.key_id, isRefused ? 429 : status, request.now);
  if (surface === "operations") return;
  const line = describeAnswer(incomingCall, ms);
  span?.end(response, line, route);
  log.writePlain(line, "request");
}

/** Answers with CORS headers, if configured. Preflights are answered without `answer`. */
function answerWithCors(
  applyCors: RequestHandler | null,
  incomingCall: IncomingCall,
  answer: (incomingCall: IncomingCall) => void,
): void {
  const { incoming, response } = incomingCall;
  if (!applyCors) answer(incomingCall);
  else
    applyCors(incoming as Parameters<RequestHandler>[0], response as Parameters<RequestHandler>[1], () =>
      answer(incomingCall),
    );
}
