import { type Response, Router } from "express";
import { Registry } from "prom-client";
import { readServingState, type ServingState } from "../data/database/schema/writing-role.js";
import type { Database } from "../data/database/types.js";
import { getOnly } from "../http/server/side-server.js";
import type { RateLimiter } from "../limits/budget/rate-limit.js";
import { readCommit, readVersion } from "../paths.js";
import { limitTime } from "../time-limit.js";

export interface TelemetryOptions {
  readonly database: Database;
  readonly rateLimiter: RateLimiter;
  /** Returns metrics in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>;
  readonly isDraining: () => boolean;
}

/** Time limit of a check. Balancers wait for a second or longer. */
const CHECK_MS = 800;
/** Time that the database may be away before requests should go elsewhere: they wait for one that restarts. */
const RESTART_MS = 3_000;

/** Creates the router of /health/live, /health/ready and, if `shows.metrics`, /metrics. They need no credentials. */
export function createTelemetryRouter(
  { database, rateLimiter, readMetrics, isDraining }: TelemetryOptions,
  shows: { readonly metrics: boolean },
): Router {
  // Matches exactly these paths, because a proxy that hides them from the public may compare them exactly.
  const router = Router({ caseSensitive: true, strict: true });
  router.all(["/health/live", "/health/ready"], getOnly);
  const commit = readCommit();
  const running = { version: readVersion(), ...(commit !== null && { commit }) };
  router.get("/health/live", (_request, response) => {
    answer(response, 200, { status: "ok", ...running });
  });
  const check = createChecks(database);
  router.get("/health/ready", async (_request, response) => {
    const { isAway, state } = await check();
    const rateLimitStore = rateLimiter.store();
    const ready = state?.canRead === true && !isDraining();
    const writes = state?.isReadOnly ? "read_only" : database.writeQueues.isFull() ? "disk_full" : null;
    const status = isDraining()
      ? "draining"
      : !ready
        ? "unavailable"
        : isAway || rateLimitStore === "insurance" || !state.isWriterGranted || writes !== null
          ? "degraded"
          : "ok";
    answer(response, ready ? 200 : 503, {
      status,
      database: isAway ? "down" : "up",
      rate_limit_store: rateLimitStore,
      ...(state?.canRead === false && { database_role: "cannot_read" }),
      // Reads still work, so the process can continue to receive requests.
      ...(state?.isWriterGranted === false && { writing_role: "not_granted" }),
      ...(writes !== null && { writes }),
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

/**
 * Returns a function that checks the database, once at a time. While it is unavailable, the last state counts for as long as a
 * restart takes; the state is null before the first and after that time.
 */
function createChecks(database: Database) {
  let checking: Promise<ServingState | null> | undefined;
  let state: ServingState | null = null;
  let awaySince: number | undefined;
  return async () => {
    // Nothing else limits the number of these requests.
    checking ??= readInTime(database).finally(() => {
      checking = undefined;
    });
    const found = await checking;
    const now = performance.now();
    awaySince = found ? undefined : (awaySince ?? now);
    if (awaySince === undefined || now - awaySince > RESTART_MS) state = found;
    return { isAway: found === null, state };
  };
}

/** Returns null if the database fails or does not respond in time. */
function readInTime(database: Database): Promise<ServingState | null> {
  return limitTime(CHECK_MS)(() => readServingState(database)).catch(() => null);
}
