import { type Response, Router } from "express";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Database } from "./data/database.js";
import type { RateLimiter } from "./limits/rate-limit.js";

export interface Metrics {
  readonly registry: Registry;
  observe(surface: "rest" | "graphql" | "operations", status: number, seconds: number): void;
}

/** Metrics of this process, in Prometheus' names and units. No label holds a key, a tenant or an operation's name. */
export function createMetrics(store: RateLimiter["store"]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "Duration of HTTP requests by surface and status",
    labelNames: ["surface", "http_response_status_code"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const refused = new Counter({
    name: "gateway_rate_limited_requests_total",
    help: "Requests refused with 429",
    registers: [registry],
  });
  new Gauge({
    name: "gateway_rate_limit_store_up",
    // Of several processes the one that is worst off.
    aggregator: "min",
    help: "1 while requests are counted where the configuration says, 0 while Redis is away and they are counted in memory",
    registers: [registry],
    collect() {
      this.set(store() === "insurance" ? 0 : 1);
    },
  });
  return {
    registry,
    observe(surface, status, seconds) {
      duration.observe({ surface, http_response_status_code: String(status) }, seconds);
      if (status === 429) refused.inc();
    },
  };
}

export interface OperationsOptions {
  readonly database: Database;
  readonly rateLimiter: RateLimiter;
  /** In Prometheus' text format. */
  readonly readMetrics: () => Promise<string>;
  readonly isDraining: () => boolean;
}

const READY_TIMEOUT_MS = 2_000;

/**
 * /health/live, /health/ready and (where `shows` says so) /metrics: for those who run the gateway; they need no key.
 */
export function createOperationsRouter(
  { database, rateLimiter, readMetrics, isDraining }: OperationsOptions,
  shows: { readonly metrics: boolean },
): Router {
  // Exactly these paths: a proxy that keeps them from the public may compare them exactly.
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/health/live", (_request, response) => {
    answer(response, 200, { status: "ok" });
  });
  router.get("/health/ready", async (_request, response) => {
    const databaseUp = await answersInTime(database);
    const rateLimitStore = rateLimiter.store();
    const ready = databaseUp && !isDraining();
    const status = isDraining()
      ? "draining"
      : !ready
        ? "unavailable"
        : rateLimitStore === "insurance"
          ? "degraded"
          : "ok";
    answer(response, ready ? 200 : 503, {
      status,
      database: databaseUp ? "up" : "down",
      rate_limit_store: rateLimitStore,
    });
  });
  if (!shows.metrics) return router;
  router.get("/metrics", async (_request, response) => {
    response.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await readMetrics());
  });
  return router;
}

function answer(response: Response, status: number, body: object): void {
  response.status(status).set("Cache-Control", "no-store").json(body);
}

function answersInTime({ prisma }: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, READY_TIMEOUT_MS, false);
  });
  const answered = prisma.$queryRaw`SELECT 1`.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, tooLate]).finally(() => clearTimeout(timer));
}
