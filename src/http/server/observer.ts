import type { IncomingMessage, ServerResponse } from "node:http";
import type { Surface } from "../surface.js";
import type { AccessLogLine } from "./access-log.js";

/** Counts requests. */
export interface RequestMetrics {
  /** Counts a request that begins. */
  began(): void;
  /** Counts a request that is over, answered or not. */
  ended(surface: Surface, method: string, route: string, status: number, seconds: number): void;
}

/** Traces requests. */
export interface RequestTracing {
  /**
   * Begins a request's span, in the caller's trace if it sent a valid `traceparent`; undefined if nothing is traced.
   */
  begin(incoming: IncomingMessage): RequestSpan | undefined;
  /** Returns `work` with a span for each time that a request runs it. Its type must allow it to return a promise. */
  wrap<Work extends (...args: never[]) => unknown>(name: string, work: Work): Work;
}

/** The span of one request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs `work`. All spans that begin in the meantime belong to the request. */
  run(work: () => void): void;
  /** Ends the span with what the access log says about the request, except who sent it. */
  end(response: ServerResponse, line: AccessLogLine, route: string): void;
}
