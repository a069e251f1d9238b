import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import cors from "cors";
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from "express";
import { createAuthenticate } from "./auth/authenticate.js";
import type { Config } from "./config.js";
import { createAdmission, type RequestInfo } from "./context.js";
import type { Database } from "./data/database.js";
import { AppError } from "./errors.js";
import { toAppError } from "./failure.js";
import { scopesOfDocument } from "./graphql/document-scopes.js";
import { createExplorer } from "./graphql/explorer.js";
import { createSchema } from "./graphql/schema.js";
import { startGraphqlServer } from "./graphql/server.js";
import { readTrustedDocuments, useTrustedDocuments } from "./graphql/trusted-documents.js";
import { commonHeaders, drainConnections, listen, refuseUnreadable, requireReadable } from "./http-server.js";
import { createFailureCounter } from "./limits/auth-failures.js";
import { isIntrospectionOnly, limitQueries, QUERY_LIMITS, requireAffordable } from "./limits/query-limits.js";
import { createRateLimiter } from "./limits/rate-limit.js";
import type { Logger } from "./log.js";
import { createMetrics, createOperationsRouter } from "./operations.js";
import { SCHEMA_FILE } from "./paths.js";
import { sendError } from "./rest/envelope.js";
import { describeApi } from "./rest/openapi.js";
import { createRestRouter, REST_PREFIXES } from "./rest/router.js";

export interface App {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const GRAPHQL_PATH = "/graphql";
const EXPLORER_PATH = "/graphiql";

/** Wires every part once and listens. Throws where the port is taken, or an endpoint does not fit the schema. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, database, log, clock, demoKey = null } = options;
  let draining = false;

  const rateLimiter = createRateLimiter({
    redisUrls: config.redisUrls,
    onStoreChange: (error) =>
      error
        ? log.error({ err: error }, "Redis is away: counting requests in memory")
        : log.info("Redis is back: counting requests there"),
  });
  const admit = createAdmission({
    database,
    authenticate: createAuthenticate({
      database,
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
    requestInfo,
    log,
  });
  const rest = createRestRouter({ schema, admit, scopesOf: scopesOfDocument, requestInfo });
  const metrics = createMetrics(rateLimiter.store);
  const openapi = describeApi();

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("trust proxy", config.trustProxy);

  app.use((request, response, next) => {
    // Taken now: while a router is at work, the request's path lacks the router's prefix.
    const { method, path } = request;
    const surface = surfaceOf(path);
    const id = UUID.test(request.get("x-request-id") ?? "")
      ? String(request.get("x-request-id"))
      : randomUUID();
    const info: RequestInfo = {
      id,
      now: clock(),
      log: log.child({ request_id: id }),
      address: request.ip ?? "",
    };
    response.locals["request"] = info;
    response.set(commonHeaders(id));
    const started = performance.now();
    response.once("close", () => {
      const seconds = (performance.now() - started) / 1_000;
      metrics.observe(surface, response.statusCode, seconds);
      if (surface === "operations") return;
      const { statusCode: status, writableFinished } = response;
      const aborted = writableFinished ? undefined : true;
      info.log.info({ surface, method, path, status, ms: seconds * 1_000, aborted }, "request");
    });
    // So that clients which keep their connections move to another process before this one refuses new ones.
    if (draining) response.set("Connection", "close");
    requireReadable(request);
    next();
  });
  if (config.corsOrigins.length > 0) {
    const origin = config.corsOrigins.includes("*") ? "*" : [...config.corsOrigins];
    const methods = ["GET", "HEAD", "POST"];
    const share = cors({ origin, methods, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
    // The library takes every OPTIONS for a preflight, and would answer in the place of the routes.
    app.use((request, response, next) => {
      if (request.method === "OPTIONS" && !request.get("access-control-request-method")) next();
      else share(request, response, next);
    });
  }
  app.use(createOperationsRouter({ database, rateLimiter, metrics, isDraining: () => draining }));
  app.get("/openapi.json", (_request, response) => {
    response.json(openapi);
  });
  app.use([...REST_PREFIXES], rest);
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
  app.use(answerFailure);

  const serve = (request: IncomingMessage, response: ServerResponse) =>
    app(request as Request, response as Response, () => {
      // Express gives up on an address that is no URL before anything of the above has run.
      const message = "The request cannot be read: its address is malformed.";
      const info = { id: randomUUID(), now: clock() };
      const headers = commonHeaders(info.id);
      sendError(response, info, new AppError("BAD_REQUEST", message, { headers }));
    });
  // Node would answer a request without Host, or with an unknown Expect, by itself and not in the envelope.
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, serve);
  server.on("checkExpectation", serve);
  server.on("clientError", refuseUnreadable(clock));
  const release = async () => {
    await graphql.stop();
    await rateLimiter.stop();
  };
  try {
    await listen(server, config);
  } catch (error) {
    await release();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;

  return {
    url: `http://${host}:${port}`,
    async stop() {
      draining = true;
      // Load balancers have to see that readiness has turned before connections are refused.
      await new Promise((resolve) => setTimeout(resolve, config.shutdownDelaySeconds * 1_000));
      await drainConnections(server);
      await release();
    },
  };
}

function requestInfo(response: Response): RequestInfo {
  return response.locals["request"] as RequestInfo;
}

function surfaceOf(path: string): "rest" | "graphql" | "operations" {
  if (path === GRAPHQL_PATH || path.startsWith(`${GRAPHQL_PATH}/`)) return "graphql";
  return REST_PREFIXES.some((prefix) => path.startsWith(prefix)) ? "rest" : "operations";
}

const notFound: RequestHandler = (request: Request) => {
  throw new AppError("NOT_FOUND", `There is nothing at ${request.path}.`);
};

/** The end of every failure: GraphQL's form under /graphql, the envelope everywhere else. */
const answerFailure: ErrorRequestHandler = (thrown, request, response, next) => {
  const info = requestInfo(response);
  const error = toAppError(thrown, info.log);
  if (response.headersSent) return next(thrown);
  if (surfaceOf(request.path) !== "graphql") return sendError(response, info, error);
  response.status(error.status).set(error.headers);
  response.json({ errors: [{ message: error.message, extensions: { code: error.code } }] });
};
