import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessLogLine } from "./access-log.js";
import type { Surface } from "./surface.js";

/** Counts requests. */
export interface RequestMetrics {
  /** A request has begun. */
  began(): void;
  /** A request has ended, whether it was answered or not. */
  ended(surface: Surface, method: string, route: string, status: number, seconds: number): void;
}

/** Traces requests. */
export interface RequestTracing {
  /** Begins a request's span, in the caller's trace if it sent a valid `traceparent`. Undefined if nothing is traced. */
  begin(incoming: IncomingMessage): RequestSpan | undefined;
  /** `work`, with a span for each time that a request does it. Its type must allow it to return a promise. */
  wrap<Work extends (...args: never[]) => unknown>(name: string, work: Work): Work;
}

/** The span of one request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs `work`; whatever is traced during it belongs to the request. */
  run(work: () => void): void;
  /** Ends the span. It takes what was asked from the access log's line, and nothing that says who asked. */
  end(response: ServerResponse, line: AccessLogLine, route: string): void;
}
