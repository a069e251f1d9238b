import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from "express";
import type { Registry } from "prom-client";
import { createAuthenticate } from "./auth/authenticate.js";
import type { Config } from "./config.js";
import { createAdmission, createAnswer, createContexts, type RequestInfo } from "./context.js";
import { listenForChanges } from "./data/changes.js";
import type { Database } from "./data/database.js";
import type { StoredKey } from "./data/keys.js";
import { createMemory } from "./data/memory.js";
import { AppError } from "./errors.js";
import { toAppError } from "./failure.js";
import { scopesOfDocument } from "./graphql/document-scopes.js";
import { isComplete, type OperationAnswer, sizeOfAnswer } from "./graphql/executor.js";
import { createExplorer } from "./graphql/explorer.js";
import { createSchema } from "./graphql/schema.js";
import { startGraphqlServer } from "./graphql/server.js";
import { readTrustedDocuments, useTrustedDocuments } from "./graphql/trusted-documents.js";
import {
  commonHeaders,
  createRequestReader,
  drainConnections,
  listen,
  readPath,
  refuseUnreadable,
  type SideServer,
  shareWith,
  startSideServer,
  varyOf,
} from "./http-server.js";
import { createFailureCounter } from "./limits/auth-failures.js";
import { isIntrospectionOnly, limitQueries, QUERY_LIMITS, requireAffordable } from "./limits/query-limits.js";
import { createRateLimiter } from "./limits/rate-limit.js";
import type { Logger } from "./log.js";
import { createMetrics, createOperationsRouter } from "./operations.js";
import { SCHEMA_FILE } from "./paths.js";
import { type SerializedData, sendError } from "./rest/envelope.js";
import { describeApi } from "./rest/openapi.js";
import { createRest, REST_PREFIXES } from "./rest/router.js";

export interface App {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** The same of METRICS_PORT, where that is set. */
  readonly metricsUrl: string | null;
  /** Stops taking requests, answers those that were taken, and closes everything it opened; not the database. */
  stop(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly clock: () => Date;
  /** A key to try the explorers with; they show it to whoever opens them. */
  readonly demoKey?: string | null;
  /** Where several processes serve together: given this one's metrics, makes what reads those of all. */
  readonly shareMetrics?: (registry: Registry) => () => Promise<string>;
}

/** Most that is remembered, in bytes. */
const MEMORY = { keys: 16 << 20, rest: 48 << 20, graphql: 24 << 20 };
const KEY_SIZE = 600;

const GRAPHQL_PATH = "/graphql";
const EXPLORER_PATH = "/graphiql";

/** Wires every part once and listens. Throws where the port is taken, or an endpoint does not fit the schema. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, database, log, clock, demoKey = null, shareMetrics } = options;
  let draining = false;

  const rateLimiter = createRateLimiter({
    redisUrls: config.redisUrls,
    onStoreChange: (error) =>
      error
        ? log.error({ err: error }, "Redis is away: counting requests in memory")
        : log.info("Redis is back: counting requests there"),
  });
  const changes = await listenForChanges(database);
  const openContext = createContexts(database);
  const admit = createAdmission({
    authenticate: createAuthenticate({
      database,
      keys: createMemory<StoredKey | null>({ changes, maxSize: MEMORY.keys, sizeOf: () => KEY_SIZE }),
      pepper: config.keyPepper,
      countFailure: createFailureCounter(config.authFailuresPerMinute),
      onTouchFailed: (error) => log.warn({ err: error }, "a key's last use could not be noted"),
    }),
    consume: rateLimiter.consume,
  });
  const sdl = await readFile(SCHEMA_FILE, "utf8");
  const schema = createSchema(sdl);
  const trusted = config.trustedDocuments
    ? await readTrustedDocuments(config.trustedDocuments, schema)
    : new Map<string, string>();
  const graphql = await startGraphqlServer({
    schema,
    queryLimits: {
      tokens: QUERY_LIMITS.tokens,
      rule: limitQueries,
      isExempt: isIntrospectionOnly,
      requireAffordable,
    },
    introspection: config.introspection,
    sandbox: config.sandbox,
    demoKey,
    admit,
    openContext,
    answer: createAnswer<OperationAnswer>(
      createMemory({ changes, maxSize: MEMORY.graphql, sizeOf: sizeOfAnswer }),
      openContext,
      isComplete,
    ),
    requestInfo,
    log,
  });
  const answer = createAnswer<SerializedData>(
    createMemory({ changes, maxSize: MEMORY.rest, sizeOf: ({ bytes, isShared }) => (isShared ? 0 : bytes) }),
    openContext,
  );
  const answerRest = createRest({ schema, admit, answer, scopesOf: scopesOfDocument });
  const metrics = createMetrics(rateLimiter.store);
  const readMetrics = shareMetrics?.(metrics.registry) ?? (() => metrics.registry.metrics());
  const openapi = describeApi();

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.use((_request, response, next) => {
    response.set(response.locals["headers"]);
    next();
  });
  const operations = { database, rateLimiter, readMetrics, isDraining: () => draining };
  app.use(createOperationsRouter(operations, { metrics: config.metricsPort === undefined }));
  app.get("/openapi.json", (_request, response) => {
    response.json(openapi);
  });
  if (config.introspection) {
    app.get(`${GRAPHQL_PATH}/schema.graphql`, (_request, response) => {
      response.type("text/plain").send(sdl);
    });
  }
  app.all(
    GRAPHQL_PATH,
    express.json({ limit: "256kb" }),
    useTrustedDocuments(trusted, config.onlyTrusted),
    graphql.handler,
  );
  if (config.sandbox) {
    app.get("/", (_request, response) => response.redirect(302, GRAPHQL_PATH));
    app.use(EXPLORER_PATH, createExplorer(EXPLORER_PATH, GRAPHQL_PATH, demoKey));
  }
  app.use(notFound);
  const failed: ErrorRequestHandler = (thrown, { path }, response, next) => {
    if (response.headersSent) return next(thrown);
    answerFailure(response, requestInfo(response), {}, surfaceOf(path), thrown);
  };
  app.use(failed);

  const describeRequest = createRequestReader({ clock, log, trustProxy: config.trustProxy });
  const share = config.corsOrigins.length > 0 ? shareWith(config.corsOrigins) : undefined;
  const vary = varyOf(config.corsOrigins);
  const serve = (incoming: IncomingMessage, response: ServerResponse) => {
    const started = performance.now();
    const request = describeRequest(incoming);
    const { method, url = "" } = incoming;
    const headers = commonHeaders(request.id, vary);
    let path = url;
    let surface = surfaceOf(url);
    response.once("close", () => {
      const ms = performance.now() - started;
      const { statusCode: status, writableFinished } = response;
      metrics.observe(surface, status, ms / 1_000);
      if (surface === "operations") return;
      const aborted = writableFinished ? undefined : true;
      log.info({ request_id: request.id, surface, method, path, status, ms, aborted }, "request");
    });
    // So that clients which keep their connections move to another process before this one refuses new ones.
    if (draining) response.shouldKeepAlive = false;
    try {
      path = readPath(incoming);
    } catch (error) {
      return answerFailure(response, request, headers, surface, error);
    }
    surface = surfaceOf(path);
    const route = () => {
      // Without Express, whose 60 to 70 µs are as much as all the rest of a remembered answer, limits and log included.
      if (surface === "rest") return void answerRest({ request, path, incoming, response, headers });
      Object.assign(response, { locals: { request, headers } });
      app(incoming as Request, response as Response);
    };
    if (!share) return route();
    // The library answers preflights by itself.
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    share(incoming as Request, response as Response, route);
  };
  // Node would answer a request without Host, or with an unknown Expect, by itself and not in the envelope.
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, serve);
  server.on("checkExpectation", serve);
  server.on("clientError", refuseUnreadable(clock));
  const release = async () => {
    await graphql.stop();
    await rateLimiter.stop();
    await changes.stop();
  };
  let side: SideServer | undefined;
  try {
    if (config.metricsPort !== undefined) {
      const router = createOperationsRouter(operations, { metrics: true });
      side = await startSideServer(router, { host: config.host, port: config.metricsPort }, clock);
    }
    await listen(server, config);
  } catch (error) {
    await side?.stop();
    await release();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;

  return {
    url: `http://${host}:${port}`,
    metricsUrl: side ? `http://${host}:${side.port}` : null,
    async stop() {
      draining = true;
      // Load balancers have to see that readiness has turned before connections are refused.
      await new Promise((resolve) => setTimeout(resolve, config.shutdownDelaySeconds * 1_000));
      await drainConnections(server);
      // Last, so that what happens while it stops can be seen there.
      await side?.stop();
      await release();
    },
  };
}

function requestInfo(response: Response): RequestInfo {
  return response.locals["request"] as RequestInfo;
}

type Surface = "rest" | "graphql" | "operations";

function surfaceOf(path: string): Surface {
  if (path === GRAPHQL_PATH || path.startsWith(`${GRAPHQL_PATH}/`)) return "graphql";
  return REST_PREFIXES.some((prefix) => path.startsWith(prefix)) ? "rest" : "operations";
}

const notFound: RequestHandler = (request: Request) => {
  throw new AppError("NOT_FOUND", `There is nothing at ${request.path}.`);
};

/** The end of every failure: GraphQL's form under /graphql, the envelope everywhere else. */
function answerFailure(
  response: ServerResponse,
  request: RequestInfo,
  headers: Readonly<Record<string, string>>,
  surface: Surface,
  thrown: unknown,
): void {
  const error = toAppError(thrown, request.log);
  if (surface !== "graphql") {
    sendError(response, request, [headers], error);
    return;
  }
  const { status, code, message } = error;
  const type = { "Content-Type": "application/json; charset=utf-8" };
  response.writeHead(status, { ...headers, ...error.headers, ...type });
  response.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}
