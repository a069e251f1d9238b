import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { prepareFactors } from "./actions/factors/search/find-indexes.js";
import { type Core, type CoreOptions, startCore } from "./app/core.js";
import { startDelivering } from "./app/delivering.js";
import { createJobs, startJobs } from "./app/jobs.js";
import { createParts, type Parts } from "./app/parts.js";
import { type Surfaces, type SurfacesOptions, startSurfaces } from "./app/surfaces.js";
import { createHttpServer } from "./http/server/server.js";
import { listen, startSideServer } from "./http/server/side-server.js";
import { TIMEOUTS, type Timeouts } from "./http/server/timeouts.js";
import { createSite, type Site } from "./http/site.js";
import type { RateLimiter } from "./limits/budget/rate-limit.js";
import { createRoutes } from "./routes.js";
import { createTelemetryRouter } from "./telemetry/health.js";

export interface App {
  /** The gateway's own address, without a trailing slash. */
  readonly url: string;
  readonly site: Site;
  /** Address of METRICS_PORT; null if it is not set. */
  readonly metricsUrl: string | null;
  /** Returns the store that currently counts requests. */
  readonly rateLimitStore: RateLimiter["store"];
  /** Builds in the background what the first search, calculation or tool list would otherwise wait for. */
  prepare(): Promise<void>;
  /**
   * Reports that the gateway is not ready, and stops accepting requests after the shutdown delay. Requests in progress
   * may take 8 more seconds. Closes everything except the database.
   */
  stop(): Promise<void>;
}

export interface AppOptions extends Omit<CoreOptions, "site">, SurfacesOptions {
  /** API key shown on the home page and in the explorers, so that anyone can try the API. */
  readonly demoKey?: string | null;
  /** Interval for polling due e-mails, webhook calls and events, in milliseconds. */
  readonly deliveryMs?: number;
  /** Interval for polling due jobs, in milliseconds. */
  readonly jobsMs?: number;
  /** Time limits for clients to send requests and read responses. */
  readonly timeouts?: Timeouts;
}

/**
 * Starts all parts in order and listens. If one fails, stops the others and throws, for example because a port is in
 * use or an endpoint of the external API does not match the schema.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const parts = createParts();
  try {
    const address = { port: options.config.port };
    const site = createSite(options.config.publicUrl, () => address.port);
    const core = await startCore({ ...options, site }, parts);
    const surfaces = await startSurfaces(options, core, parts);
    return await startServers(options, { core, surfaces, address }, parts);
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

interface Started {
  readonly core: Core;
  readonly surfaces: Surfaces;
  /** Port of the gateway, known once it listens; the configured port may be 0. */
  readonly address: { port: number };
}

async function startServers(
  options: AppOptions,
  { core, surfaces, address }: Started,
  parts: Parts,
): Promise<App> {
  const { config, log, clock, demoKey = null, timeouts = TIMEOUTS } = options;
  const { database, rateLimiter, readMetrics, metrics, tracing, countUse } = core;
  const { sdl, groups, serveGraphql, serveStream, serveMcp, answerRest } = surfaces;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const state = { url: "", isDraining: false };
  const sources = { database, rateLimiter, readMetrics, isDraining: () => state.isDraining };
  const answerOthers = createRoutes({
    config,
    demoKey,
    sdl,
    groups,
    serveGraphql,
    serveStream,
    serveMcp,
    certificates: core.certificates,
    site: core.resources.site,
    url: () => state.url,
    telemetry: createTelemetryRouter(sources, { metrics: config.metricsPort === undefined }),
  });
  const { server, drain } = createHttpServer({
    clock,
    log,
    metrics,
    tracing,
    timeouts,
    countUse,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    timeLimitMs: database.timeLimitMs,
    isDraining: sources.isDraining,
    // REST and SCIM bypass Express, whose 60 to 70 µs are more than all other work for a cached response.
    answer: (incomingCall) =>
      void (incomingCall.surface === "rest" || incomingCall.surface === "scim"
        ? answerRest(incomingCall)
        : answerOthers(incomingCall)),
  });

  let metricsUrl: string | null = null;
  if (config.metricsPort !== undefined) {
    const router = createTelemetryRouter(sources, { metrics: true });
    // Added before the gateway's own port, so that metrics remain available until it has stopped.
    const side = parts.add(
      await startSideServer(router, { host: config.host, port: config.metricsPort }, clock),
    );
    metricsUrl = `http://${host}:${side.port}`;
  }
  await listen(server, config);
  parts.add({ stop: drain });
  // Added after the server, so that streams stop first: the server would wait for their clients.
  parts.add(core.events);
  address.port = (server.address() as AddressInfo).port;
  core.auditHeads.begin();
  parts.add(startJobs(database, log, createJobs(core.resources), options.jobsMs));
  parts.add(startDelivering({ resources: core.resources, log, clock, intervalMs: options.deliveryMs }));
  state.url = `http://${host}:${address.port}`;
  return {
    url: state.url,
    site: core.resources.site,
    metricsUrl,
    rateLimitStore: rateLimiter.store,
    async prepare() {
      await Promise.all([prepareFactors(core.resources, clock()), surfaces.prepare()]);
    },
    async stop() {
      state.isDraining = true;
      // Load balancers must notice that the gateway is not ready before it refuses connections.
      await delay(config.shutdownDelaySeconds * 1_000);
      await parts.stop();
    },
  };
}
