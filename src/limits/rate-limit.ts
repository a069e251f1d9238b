import type { Cluster, Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimitState } from "../domain/rate-limit.js";
import { TIER_LIMITS, TIERS, type Tier, WINDOW_SECONDS } from "../domain/tiers.js";
import { connectRedis, createTimeLimit, firstAttempt } from "./redis.js";

export interface RateLimiter {
  /** Counts one request against a key's budget. Never throws: without Redis it counts in this process. */
  consume(keyId: string, tier: Tier): Promise<RateLimitState>;
  /** Where requests are counted now; `memory` by choice, `insurance` because Redis is away. */
  store(): "redis" | "memory" | "insurance";
  stop(): Promise<void>;
}

export interface RateLimiterOptions {
  /** Absent: counted in this process. */
  readonly redisUrls: readonly string[] | undefined;
  /** Told when Redis goes away (with the reason) and when it is back (null). */
  readonly onStoreChange: (error: Error | null) => void;
}

/** One prefix for all tiers: a key that changes its tier keeps what it has used. */
const KEY_PREFIX = "carbon-gateway:rate-limit";

/**
 * The library's script, but a refused request is not counted: a key that went on knocking while it was over its
 * limit would otherwise find its budget of a higher tier spent.
 */
const COUNT_UP_TO_LIMIT = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
if consumed > tonumber(ARGV[3]) then redis.call('decrby', KEYS[1], ARGV[1]) end
return {consumed, redis.call('pttl', KEYS[1])}`;

const PROBE_MS = 500;

/** Fixed windows of one hour, each begun by the key's first request in it. */
export function createRateLimiter({ redisUrls, onStoreChange }: RateLimiterOptions): RateLimiter {
  const memory = countInMemory();
  if (!redisUrls) return { consume: memory, store: () => "memory", stop: async () => undefined };

  const client = connectRedis(redisUrls);
  const answerInTime = createTimeLimit();
  const connected = firstAttempt(client);
  const redis = countInRedis(client);
  let away = false;
  const setAway = (error: Error | null) => {
    if (away === (error !== null)) return;
    away = error !== null;
    onStoreChange(error);
  };
  /** Notices that Redis is back when no request does. */
  const probe = setInterval(() => {
    if (away && client.status === "ready")
      answerInTime(client.ping()).then(
        () => setAway(null),
        () => undefined,
      );
  }, PROBE_MS).unref();
  return {
    async consume(keyId, tier) {
      try {
        // The first requests after a start must not be counted apart from those of other processes.
        await connected;
        const state = await answerInTime(redis(keyId, tier));
        setAway(null);
        return state;
      } catch (error) {
        setAway(error instanceof Error ? error : new Error(String(error)));
        return memory(keyId, tier);
      }
    },
    store: () => (away || client.status !== "ready" ? "insurance" : "redis"),
    async stop() {
      clearInterval(probe);
      client.disconnect();
    },
  };
}

type Count = RateLimiter["consume"];

function countInRedis(client: Redis | Cluster): Count {
  const limiters = Object.fromEntries(
    TIERS.map((tier) => [
      tier,
      new RateLimiterRedis({
        storeClient: client,
        keyPrefix: KEY_PREFIX,
        points: TIER_LIMITS[tier],
        duration: WINDOW_SECONDS,
        rejectIfRedisNotReady: true,
        customIncrTtlLuaScript: COUNT_UP_TO_LIMIT,
      }),
    ]),
  ) as Record<Tier, RateLimiterRedis>;

  return async (keyId, tier) => {
    // Only a RateLimiterRes is a refusal; anything else that is thrown is the store failing.
    const result = await limiters[tier].consume(keyId).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    });
    return toState(result, tier);
  };
}

/** One limiter for all tiers, since two limiters in memory do not share their counts; so the limit is compared here. */
function countInMemory(): Count {
  const limiter = new RateLimiterMemory({
    keyPrefix: KEY_PREFIX,
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
  });
  return async (keyId, tier) => {
    const result = await limiter.consume(keyId);
    const state = toState(result, tier);
    if (!state.allowed) await limiter.reward(keyId);
    return state;
  };
}

function toState({ consumedPoints, msBeforeNext }: RateLimiterRes, tier: Tier): RateLimitState {
  const limit = TIER_LIMITS[tier];
  return {
    tier,
    limit,
    used: Math.min(consumedPoints, limit),
    remaining: Math.max(limit - consumedPoints, 0),
    secondsToReset: Math.max(Math.ceil(msBeforeNext / 1_000), 1),
    allowed: consumedPoints <= limit,
  };
}
