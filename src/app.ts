import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { IResolvers } from "@graphql-tools/utils";
import type { Registry } from "prom-client";
import { createAdmission } from "./access/admission.js";
import { createAnswer } from "./access/answers.js";
import { listPeppers } from "./access/api-key.js";
import { createAuthenticate, type KnownKey, sizeOfKnownKey } from "./access/authenticate.js";
import { createContexts } from "./access/context.js";
import type { Config } from "./config.js";
import { createCache } from "./data/cache/cache.js";
import { type Changes, listenForChanges } from "./data/cache/changes.js";
import type { Database } from "./data/database/types.js";
import { createUseNotes } from "./data/keys/keys.js";
import { sizeOfRows } from "./data/tenant/reader.js";
import { scopesOfDocument } from "./graphql/server/document-scopes.js";
import { isComplete, type OperationAnswer, sizeOfAnswer } from "./graphql/server/result.js";
import { createSchema } from "./graphql/server/schema.js";
import { startGraphqlServer } from "./graphql/server/server.js";
import { readTrustedDocuments } from "./graphql/server/trusted-documents.js";
import { type SerializedData, sizeOfData } from "./http/envelope.js";
import { createFront } from "./http/server.js";
import { listen, startSideServer } from "./http/side-server.js";
import { PATIENCE, type Patience } from "./http/timeouts.js";
import { createFailureCounter } from "./limits/budget/auth-failures.js";
import { createRateLimiter, type RateLimiter } from "./limits/budget/rate-limit.js";
import type { Log } from "./log.js";
import { readVersion, SCHEMA_FILE } from "./paths.js";
import type { EndpointGroup } from "./rest/endpoint.js";
import { ext } from "./rest/ext/index.js";
import { createRest } from "./rest/router.js";
import { createRoutes } from "./routes.js";
import { createOperationsRouter } from "./telemetry/health.js";
import { createMetrics } from "./telemetry/metrics.js";
import { startTracing } from "./telemetry/start-tracing.js";

export interface App {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Where METRICS_PORT is served; null if it is not set. */
  readonly metricsUrl: string | null;
  /** Where requests are counted now. */
  readonly rateLimitStore: RateLimiter["store"];
  /** Stops taking requests, answers those that were taken, and closes everything it opened; not the database. */
  stop(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly clock: () => Date;
  /** A key to try the API with. The home page and the explorers show it to whoever opens them. */
  readonly demoKey?: string | null;
  /** How long clients may take with their requests. */
  readonly patience?: Patience;
  /** Turns this process's metrics into what /metrics answers: if several processes serve together, those of all. */
  readonly shareMetrics?: (registry: Registry) => () => Promise<string>;
  /** Served beside schema.graphql and the external API. */
  readonly extension?: Extension;
}

/** More types and fields, with their resolvers, and more endpoints. */
export interface Extension {
  readonly typeDefs: string;
  readonly resolvers: readonly IResolvers[];
  readonly groups: readonly EndpointGroup[];
}

const NO_EXTENSION: Extension = { typeDefs: "", resolvers: [], groups: [] };

/** Starts every part in order, and listens. Throws if a port is taken, or an endpoint does not fit the schema. */
export async function startApp(options: AppOptions): Promise<App> {
  const parts = createParts();
  try {
    const core = await startCore(options, parts);
    const surfaces = await startSurfaces(options, core, parts);
    return await startServers(options, core, surfaces, parts);
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

interface Part {
  stop(): Promise<void>;
}

/** What has been started so far. */
interface Parts extends Part {
  add<Started extends Part>(part: Started): Started;
}

/** Collects parts, and stops them in reverse order. */
function createParts(): Parts {
  const started: Part[] = [];
  return {
    add(part) {
      started.push(part);
      return part;
    },
    async stop() {
      for (const part of started.splice(0).toReversed()) await part.stop();
    },
  };
}

type Core = Awaited<ReturnType<typeof startCore>>;
type Surfaces = Awaited<ReturnType<typeof startSurfaces>>;

/** What both surfaces stand on: limits, caches that the database keeps true, metrics, and who is let in. */
async function startCore({ config, log, shareMetrics = readAlone, ...options }: AppOptions, parts: Parts) {
  const version = readVersion();
  const tracing = parts.add(await startTracing({ endpoint: config.otlpEndpoint, version, log }));
  const database = tracing.watch(options.database);
  const rateLimiter = parts.add(
    await createRateLimiter({
      redisUrls: config.redisUrls,
      onStoreChange: (error) =>
        error
          ? log.error({ err: error }, "Redis is away: counting requests in memory")
          : log.info("Redis is back: counting requests there"),
    }),
  );
  const changes = parts.add(
    await listenForChanges(database, (error) =>
      error
        ? log.error({ err: error }, "changes of the database are not heard: nothing is remembered")
        : log.info("changes of the database are heard again"),
    ),
  );
  const caches = createCaches(changes);
  const metrics = createMetrics({
    version,
    rateLimitStore: rateLimiter.store,
    isHeard: changes.isHeard,
    connections: database.connections,
    memories: caches,
  });
  const authenticate = createAuthenticate({
    database,
    keys: caches.keys,
    peppers: listPeppers(config),
    countFailure: createFailureCounter(config.authFailuresPerMinute),
    onRefused: metrics.refused,
    noteUse: createUseNotes(database, (error) =>
      log.warn({ err: error }, "the last use of keys could not be noted"),
    ),
  });
  const admit = createAdmission({
    authenticate: tracing.wrap("authenticate", authenticate),
    consume: tracing.wrap("rate limit", rateLimiter.consume),
  });
  const readMetrics = shareMetrics(metrics.registry);
  return { tracing, database, rateLimiter, isHeard: changes.isHeard, caches, metrics, readMetrics, admit };
}

const readAlone = (registry: Registry) => () => registry.metrics();

/** All caches, each with the most bytes that it may take. A table that changes empties them of what was read from it. */
function createCaches(changes: Changes) {
  return {
    keys: createCache<KnownKey>({ changes, maxSize: 16 << 20, sizeOf: sizeOfKnownKey }),
    rows: createCache<readonly object[]>({ changes, maxSize: 16 << 20, sizeOf: sizeOfRows }),
    graphql: createCache<OperationAnswer>({ changes, maxSize: 16 << 20, sizeOf: sizeOfAnswer }),
    rest: createCache<SerializedData>({ changes, maxSize: 48 << 20, sizeOf: sizeOfData }),
  };
}

/** The graph, and the REST endpoints over it. */
async function startSurfaces(
  { config, log, extension = NO_EXTENSION }: AppOptions,
  core: Core,
  parts: Parts,
) {
  const { database, caches, admit, isHeard } = core;
  const trace = core.tracing.wrap;
  const sdl = (await readFile(SCHEMA_FILE, "utf8")) + extension.typeDefs;
  const schema = createSchema(sdl, extension.resolvers);
  const openContext = createContexts(database, { rows: caches.rows, wholeLists: false });
  const graphql = parts.add(
    await startGraphqlServer({
      ...{ schema, admit, openContext, trace, log },
      openUncached: createContexts(database, { wholeLists: false }),
      answer: createAnswer(caches.graphql, openContext, isComplete),
      introspection: config.introspection,
      trusted: await readTrustedDocuments(config.trustedDocuments, schema),
      onlyTrusted: config.onlyTrusted,
    }),
  );

  const groups = [ext, ...extension.groups];
  // Without cached rows: an endpoint takes a statement or two, and its answer is cached as a whole.
  const openRestContext = createContexts(database, { wholeLists: true });
  const answerRest = createRest({
    ...{ groups, schema, admit, trace, isHeard, openContext: openRestContext },
    answer: createAnswer(caches.rest, openRestContext),
    scopesOf: scopesOfDocument,
  });
  return { sdl, groups, serveGraphql: graphql.serve, answerRest };
}

/** The ports, and what runs when the gateway stops. */
async function startServers(options: AppOptions, core: Core, surfaces: Surfaces, parts: Parts): Promise<App> {
  const { config, log, clock, demoKey = null, patience = PATIENCE } = options;
  const { database, rateLimiter, readMetrics, metrics, tracing } = core;
  const { sdl, groups, serveGraphql, answerRest } = surfaces;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const state = { url: "", isDraining: false };
  const operations = { database, rateLimiter, readMetrics, isDraining: () => state.isDraining };
  const answerOthers = createRoutes({
    ...{ config, demoKey, sdl, groups, serveGraphql },
    url: () => state.url,
    operations: createOperationsRouter(operations, { metrics: config.metricsPort === undefined }),
  });
  const front = createFront({
    ...{ clock, log, metrics, tracing, patience },
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    timeLimitMs: database.timeLimitMs,
    isDraining: operations.isDraining,
    // REST goes past Express, whose 60 to 70 µs are more than all the rest of a cached answer.
    answer: (arrival) => void (arrival.surface === "rest" ? answerRest(arrival) : answerOthers(arrival)),
  });

  let metricsUrl: string | null = null;
  if (config.metricsPort !== undefined) {
    const router = createOperationsRouter(operations, { metrics: true });
    // Stops after the gateway's own port, so that metrics show how that goes.
    const side = parts.add(
      await startSideServer(router, { host: config.host, port: config.metricsPort }, clock),
    );
    metricsUrl = `http://${host}:${side.port}`;
  }
  await listen(front.server, config);
  parts.add({ stop: front.drain });
  state.url = `http://${host}:${(front.server.address() as AddressInfo).port}`;
  return {
    url: state.url,
    metricsUrl,
    rateLimitStore: rateLimiter.store,
    async stop() {
      state.isDraining = true;
      // Load balancers have to see that readiness has turned before connections are refused.
      await delay(config.shutdownDelaySeconds * 1_000);
      await parts.stop();
    },
  };
}
