import type { IncomingMessage, ServerResponse } from "node:http";
import type { Surface } from "../surface.js";
import type { AccessLogLine } from "./access-log.js";

/** Counts requests. */
export interface RequestMetrics {
  /** Counts the start of a request. */
  began(): void;
  /** Counts the end of a request, answered or not. */
  ended(surface: Surface, method: string, route: string, status: number, seconds: number): void;
}

/** Traces requests. */
export interface RequestTracing {
  /** Starts a request's span, in the caller's trace if it sent a valid `traceparent`; undefined if tracing is off. */
  begin(incoming: IncomingMessage): RequestSpan | undefined;
  /**
   * Wraps `work` so that each run within a request gets a span. The type of `work` must allow it to return a promise.
   */
  wrap<Work extends (...args: never[]) => unknown>(name: string, work: Work): Work;
}

/** The span of one request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs `work`. Spans started during it belong to the request. */
  run(work: () => void): void;
  /** Ends the span with the request's id, path, status, route and GraphQL operation. Leaves out the sender. */
  end(response: ServerResponse, line: AccessLogLine, route: string): void;
}
