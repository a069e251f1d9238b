import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { createAdmission } from "./access/admission.js";
import { type Answer, createAnswer } from "./access/answers.js";
import { listPeppers } from "./access/api-key.js";
import { createAuthenticate, sizeOfKnownKey } from "./access/authenticate.js";
import { createContexts, type OpenContext } from "./access/context.js";
import type { Config } from "./config.js";
import { type Cache, type CacheState, createCache } from "./data/cache/cache.js";
import { listenForChanges } from "./data/cache/changes.js";
import { sizeOfText } from "./data/cache/entries.js";
import type { Database } from "./data/database/types.js";
import { createUseNotes } from "./data/keys/keys.js";
import { sizeOfRows } from "./data/tenant/reader.js";
import { scopesOfDocument } from "./graphql/server/document-scopes.js";
import { isComplete, type OperationAnswer, sizeOfAnswer } from "./graphql/server/executor.js";
import { createSchema } from "./graphql/server/schema.js";
import { startGraphqlServer } from "./graphql/server/server.js";
import { readTrustedDocuments } from "./graphql/server/trusted-documents.js";
import type { SerializedData } from "./http/envelope.js";
import { createFront } from "./http/server.js";
import { listen, type SideServer, startSideServer } from "./http/side-server.js";
import { PATIENCE, type Patience } from "./http/timeouts.js";
import { createFailureCounter } from "./limits/budget/auth-failures.js";
import { createRateLimiter, type RateLimiter } from "./limits/budget/rate-limit.js";
import {
  costOfDocument,
  isIntrospectionOnly,
  limitQueries,
  QUERY_LIMITS,
  requireAffordable,
} from "./limits/cost/query-limits.js";
import type { Log } from "./log.js";
import { readVersion, SCHEMA_FILE } from "./paths.js";
import type { EndpointGroup } from "./rest/endpoint.js";
import { ext } from "./rest/ext/index.js";
import { createRest } from "./rest/router.js";
import { createRoutes } from "./routes.js";
import { createOperationsRouter } from "./telemetry/health.js";
import { createMetrics } from "./telemetry/metrics.js";
import type { Tracing } from "./telemetry/tracing.js";

export interface App {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** The same of METRICS_PORT, where that is set. */
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
  /** A key to try the explorers with; the home page and they show it to whoever opens them. */
  readonly demoKey?: string | null;
  /** How long clients may take with their requests. */
  readonly patience?: Patience;
  /** Where several processes serve together: given this one's metrics, makes what reads those of all. */
  readonly shareMetrics?: (registry: Registry) => () => Promise<string>;
  /** The REST endpoints; those of the external API unless told otherwise. */
  readonly groups?: readonly EndpointGroup[];
}

/** Most that is remembered, in bytes. */
const MEMORY = { keys: 16 << 20, rest: 48 << 20, graphql: 16 << 20, rows: 16 << 20 };

/** Wires every part once and listens. Throws where the port is taken, or an endpoint does not fit the schema. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, clock, demoKey = null, patience = PATIENCE, shareMetrics, groups = [ext] } = options;
  let draining = false;
  const version = readVersion();
  const tracing = await startTracingOf(config.otlpEndpoint, version, log);
  const database = tracing?.watch(options.database) ?? options.database;

  const rateLimiter = await createRateLimiter({
    redisUrls: config.redisUrls,
    onStoreChange: (error) =>
      error
        ? log.error({ err: error }, "Redis is away: counting requests in memory")
        : log.info("Redis is back: counting requests there"),
  });
  const changes = await listenForChanges(database, (error) =>
    error
      ? log.error({ err: error }, "changes of the database are not heard: nothing is remembered")
      : log.info("changes of the database are heard again"),
  );
  const memories: Record<string, () => CacheState> = {};
  const remember = <Value>(name: keyof typeof MEMORY, sizeOf: (value: Value) => number): Cache<Value> => {
    const memory = createCache({ changes, maxSize: MEMORY[name], sizeOf });
    memories[name] = memory.state;
    return memory;
  };
  const metrics = createMetrics({
    version,
    rateLimitStore: rateLimiter.store,
    isHeard: changes.isHeard,
    connections: database.connections,
    memories,
  });
  const readMetrics = shareMetrics?.(metrics.registry) ?? (() => metrics.registry.metrics());
  const authenticate = createAuthenticate({
    database,
    keys: remember("keys", sizeOfKnownKey),
    peppers: listPeppers(config),
    countFailure: createFailureCounter(config.authFailuresPerMinute),
    onRefused: metrics.refused,
    noteUse: createUseNotes(database, (error) =>
      log.warn({ err: error }, "the last use of keys could not be noted"),
    ),
  });
  const { consume } = rateLimiter;
  const admit = createAdmission({
    authenticate: tracing?.wrap("authenticate", authenticate) ?? authenticate,
    consume: tracing?.wrap("rate limit", consume) ?? consume,
  });
  const answerWith = <Value>(
    memory: Cache<Value>,
    openContext: OpenContext,
    mayRemember?: (value: Value) => boolean,
  ): Answer<Value> => {
    const answer = createAnswer(memory, openContext, mayRemember);
    if (!tracing) return answer;
    return (name, request, admission, compute) =>
      answer(name, request, admission, tracing.wrap("execute", compute));
  };
  const openContext = createContexts(database, { rows: remember("rows", sizeOfRows), wholeLists: false });
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
    admit,
    openContext,
    answer: answerWith<OperationAnswer>(remember("graphql", sizeOfAnswer), openContext, isComplete),
    trusted,
    onlyTrusted: config.onlyTrusted,
    log,
  });
  // Without rows: an endpoint is a statement or two, and it is its answer that is asked for again.
  const openRestContext = createContexts(database, { wholeLists: true });
  const answerRest = createRest({
    ...{
      groups,
      schema,
      admit,
      scopesOf: scopesOfDocument,
      costOf: costOfDocument,
      isHeard: changes.isHeard,
    },
    openContext: openRestContext,
    answer: answerWith<SerializedData>(
      remember("rest", ({ json, isShared }) => (isShared ? 0 : sizeOfText(json))),
      openRestContext,
    ),
  });
  const operations = { database, rateLimiter, readMetrics, isDraining: () => draining };
  let url = "";
  const routes = createRoutes({
    ...{ config, demoKey, sdl, groups },
    url: () => url,
    operations: createOperationsRouter(operations, { metrics: config.metricsPort === undefined }),
    graphql: graphql.serve,
  });

  const front = createFront({
    ...{ clock, log, metrics, tracing, patience },
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    timeLimitMs: database.timeLimitMs,
    isDraining: () => draining,
    answer(arrival) {
      // Without Express, whose 60 to 70 µs are more than all the rest of a remembered answer, limits and log included.
      if (arrival.surface === "rest") return void answerRest(arrival);
      routes(arrival);
    },
  });
  const release = async () => {
    await graphql.stop();
    await rateLimiter.stop();
    await changes.stop();
    await tracing?.stop();
  };
  let side: SideServer | undefined;
  try {
    if (config.metricsPort !== undefined) {
      const router = createOperationsRouter(operations, { metrics: true });
      side = await startSideServer(router, { host: config.host, port: config.metricsPort }, clock);
    }
    await listen(front.server, config);
  } catch (error) {
    await side?.stop();
    await release();
    throw error;
  }
  const { port } = front.server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  url = `http://${host}:${port}`;

  return {
    url,
    metricsUrl: side ? `http://${host}:${side.port}` : null,
    rateLimitStore: rateLimiter.store,
    async stop() {
      draining = true;
      // Load balancers have to see that readiness has turned before connections are refused.
      await new Promise((resolve) => setTimeout(resolve, config.shutdownDelaySeconds * 1_000));
      await front.drain();
      // Last, so that what happens while it stops can be seen there.
      await side?.stop();
      await release();
    },
  };
}

/** Traces, where the configuration says where to; what that takes is not even loaded otherwise. */
async function startTracingOf(
  endpoint: string | undefined,
  version: string,
  log: Log,
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { startTracing } = await import("./telemetry/tracing.js");
  return startTracing({ endpoint, version, log });
}
