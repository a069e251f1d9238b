import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Database, ReadServer } from "../data/database/types.js";
import { AppError } from "../errors.js";
import { methodOf } from "../http/request.js";
import type { RequestTracing } from "../http/server/observer.js";
import type { Logger } from "../log.js";
import { limitTime } from "../time-limit.js";

/** OpenTelemetry spans, sent to a collector. They contain no keys and no tenant's data. */
export interface Tracing extends RequestTracing {
  /** Wraps the database so that each read statement of a request gets a span. */
  watch(database: Database): Database;
  /** Sends the remaining spans, waiting up to 3 seconds. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** The collector's base URL for OTLP over HTTP; spans go to `v1/traces` below it. */
  readonly endpoint: string;
  readonly version: string;
  readonly log: Logger;
}

/** Time limit of one attempt to send spans: a collector that hangs must not keep the process from exiting. */
const EXPORT_MS = 2_000;
const FLUSH_MS = 3_000;

/**
 * Starts tracing. The SDK reads the service's name and other attributes, sampling, the collector's headers and the
 * batch size from the environment. If it cannot send spans, it keeps a bounded number of them and drops the rest.
 */
export function exportTraces({ endpoint, version, log }: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, "")}/v1/traces`,
    timeoutMillis: EXPORT_MS,
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "carbon-gateway", "service.version": version }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    spanProcessors: [new BatchSpanProcessor(logOutages(exporter, log))],
  });
  const tracer = provider.getTracer("carbon-gateway", version);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  const wrapAs =
    <Args extends never[], Result>(
      describe: (...args: Args) => { name: string; kind: SpanKind; attributes?: Attributes },
      work: (...args: Args) => Result | Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> => {
      const parent = current.getStore();
      if (!parent) return work(...args);
      const { name, ...options } = describe(...args);
      const span = tracer.startSpan(name, options, parent);
      try {
        return await current.run(trace.setSpan(parent, span), work, ...args);
      } catch (error) {
        noteFailure(span, error);
        throw error;
      } finally {
        span.end();
      }
    };

  return {
    begin(incoming) {
      const parent = propagator.extract(ROOT_CONTEXT, incoming.headers, defaultTextMapGetter);
      const method = methodOf(incoming);
      const span = tracer.startSpan(
        method === "_OTHER" ? "HTTP" : method,
        { kind: SpanKind.SERVER, attributes: { "http.request.method": method, "url.scheme": "http" } },
        parent,
      );
      return {
        traceId: span.spanContext().traceId,
        run: (work) => current.run(trace.setSpan(parent, span), work),
        end({ statusCode, headersSent }, { request_id, surface, path, operation }, route) {
          span.setAttributes({ "url.path": path, "gateway.request_id": request_id });
          if (headersSent) span.setAttribute("http.response.status_code", statusCode);
          if (route !== "") span.setAttribute("http.route", route).updateName(`${method} ${route}`);
          if (surface === "graphql" && operation !== undefined)
            span.setAttribute("graphql.operation.name", operation);
          if (statusCode >= 500) {
            span.setAttribute("error.type", String(statusCode)).setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    wrap: <Work extends (...args: never[]) => unknown>(name: string, work: Work) =>
      wrapAs(() => ({ name, kind: SpanKind.INTERNAL }), work) as unknown as Work,
    watch(database) {
      // A statement's text has placeholders, never the values of its parameters.
      const watchSelect = (select: Database["select"]) =>
        wrapAs(
          (text: string, _values: readonly unknown[]) => ({
            name: "SELECT",
            kind: SpanKind.CLIENT,
            attributes: {
              "db.system.name": "postgresql",
              "db.operation.name": "SELECT",
              "db.query.text": text,
            },
          }),
          select,
        ) as Database["select"];
      const { replicas } = database;
      const watchReplica = (replica: ReadServer | undefined) =>
        replica && { ...replica, select: watchSelect(replica.select) };
      return {
        ...database,
        select: watchSelect(database.select),
        replicas: replicas && {
          ...replicas,
          choose: (organizationId) => watchReplica(replicas.choose(organizationId)),
          standIn: () => watchReplica(replicas.standIn()),
        },
      };
    },
    async stop() {
      // The exporter has already logged why it cannot send spans.
      await limitTime(FLUSH_MS)(() => provider.shutdown()).catch(() => undefined);
    },
  };
}

/**
 * Records the kind of a failure, but not its message, which may contain data. Client errors do not mark the span as
 * failed.
 */
function noteFailure(span: Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown };
  span.setAttribute("error.type", String(code ?? name ?? "unknown"));
  if (!(error instanceof AppError && error.status < 500)) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Wraps an exporter. Logs one line when sending spans starts to fail, and one when it works again. */
function logOutages(exporter: SpanExporter, log: Logger): SpanExporter {
  let fails = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !fails) {
          log.warn(
            { err: result.error },
            "traces cannot be sent; they are dropped until the collector accepts them",
          );
        }
        if (!failed && fails) log.info("traces can be sent again");
        fails = failed;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
