import { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { type Policy, WINDOW_SECONDS } from "../../domain/tiers.js";
import type { CreateCounter } from "./counter.js";
import { createCountingClient } from "./counting-client.js";
import { connectRedis, firstAttempt, watchFailures } from "./redis.js";
import { createRedisCounter } from "./redis-counter.js";

/** Prefix shared by all policies, so that a key whose tier changes keeps its count. */
const KEY_PREFIX = "carbon-gateway:rate-limit";

/** Interval for probing an unavailable Redis. */
const PROBE_EVERY_MS = 500;

/** The in-memory limiter that the library falls back on. Reports each count, because the library does not. */
class Insurance extends RateLimiterMemory {
  readonly #onUse: (id: string) => void;
  constructor(points: number, onUse: (id: string) => void) {
    super({ keyPrefix: KEY_PREFIX, points, duration: WINDOW_SECONDS });
    this.#onUse = onUse;
  }
  override consume(id: string, points?: number) {
    this.#onUse(id);
    return super.consume(id, points);
  }
}

/** Requests per hour, by policy. */
export type Limits = Readonly<Record<Policy, number>>;

export interface RedisLimiters {
  readonly limiters: Readonly<Record<Policy, Pick<RateLimiterRedis, "consume" | "get">>>;
  /** Creates a counter that counts in memory if Redis fails. */
  readonly createCounter: CreateCounter;
  /** Returns true if requests are counted in memory because Redis is unavailable. */
  isUnavailable(): boolean;
  stop(): void;
}

/**
 * Connects to Redis and creates a limiter for each policy. Each counts in memory if Redis fails. Calls `onStoreChange`
 * with the reason when Redis, or any node of a cluster, becomes unavailable, and with null when it is back. Resolves
 * after the first attempt to connect, successful or not.
 */
export async function createRedisLimiters(
  urls: readonly string[],
  limits: Limits,
  onStoreChange: (error: Error | null) => void,
): Promise<RedisLimiters> {
  const client = connectRedis(urls);
  const storeClient = createCountingClient(client, WINDOW_SECONDS);
  const lastFailure = watchFailures(client);
  /** The last key that Redis failed to count; null once Redis counts again. */
  let uncounted: string | null = null;
  let isReported = false;

  const createLimiter = (keyPrefix: string, points: number, insuranceLimiter?: Insurance) =>
    new RateLimiterRedis({
      storeClient,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
      rejectIfRedisNotReady: true,
      ...(insuranceLimiter && { insuranceLimiter }),
    });

  const prober = createLimiter(`${KEY_PREFIX}:probe`, Number.MAX_SAFE_INTEGER);
  // Probes by counting: a Redis that answers a ping may still refuse to write.
  const probe = async () => {
    if (uncounted === null) return;
    try {
      // In a cluster, the part in braces selects the node.
      await prober.consume(`{${uncounted}}`);
      uncounted = null;
      if (isReported) onStoreChange(null);
      isReported = false;
    } catch (error) {
      if (!isReported) onStoreChange(lastFailure() ?? (error as Error));
      isReported = true;
    }
  };
  const onInsured = (key: string) => {
    const isFirst = uncounted === null;
    uncounted = key;
    if (isFirst) void probe();
  };
  // After a failed probe, requests no longer wait for Redis. Not in a cluster, where other nodes may still answer.
  const isGivenUp = () => isReported && client instanceof Redis;
  const limiterOf = (policy: Policy) => {
    const insurance = new Insurance(limits[policy], (id) => onInsured(`${KEY_PREFIX}:${id}`));
    const limiter = createLimiter(KEY_PREFIX, limits[policy], insurance);
    const current = () => (isGivenUp() ? insurance : limiter);
    return { consume: (id: string) => current().consume(id), get: (id: string) => current().get(id) };
  };
  const createCounter: CreateCounter = (options) =>
    createRedisCounter({
      ...options,
      client: createCountingClient(client, options.seconds),
      isGivenUp,
      onFailure: onInsured,
    });

  await firstAttempt(client);
  uncounted = `${KEY_PREFIX}:start`;
  await probe();
  const probing = setInterval(probe, PROBE_EVERY_MS).unref();
  return {
    limiters: {
      free: limiterOf("free"),
      pro: limiterOf("pro"),
      enterprise: limiterOf("enterprise"),
      session: limiterOf("session"),
      scim: limiterOf("scim"),
      "service free": limiterOf("service free"),
      "service pro": limiterOf("service pro"),
      "service enterprise": limiterOf("service enterprise"),
    },
    createCounter,
    isUnavailable: () => uncounted !== null || client.status !== "ready",
    stop() {
      clearInterval(probing);
      client.disconnect();
    },
  };
}
