import { type Response, Router } from "express";
import { Registry } from "prom-client";
import { limitTime } from "../data/database/time-limit.js";
import type { Database } from "../data/database/types.js";
import { getOnly } from "../http/side-server.js";
import type { RateLimiter } from "../limits/budget/rate-limit.js";

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
  router.all(["/health/live", "/health/ready"], getOnly);
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
  router.all("/metrics", getOnly);
  router.get("/metrics", async (_request, response) => {
    response.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await readMetrics());
  });
  return router;
}

function answer(response: Response, status: number, body: object): void {
  response.status(status).set("Cache-Control", "no-store").json(body);
}

function answersInTime(database: Database): Promise<boolean> {
  return limitTime(READY_TIMEOUT_MS)(() => database.select("SELECT 1", [])).then(
    () => true,
    () => false,
  );
}
