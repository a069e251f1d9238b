import calculateSlot from "cluster-key-slot";
import { Cluster, type Redis, type Result } from "ioredis";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { RateLimitState } from "../domain/rate-limit.js";
import { TIER_LIMITS, type Tier, WINDOW_SECONDS } from "../domain/tiers.js";
import { connectRedis, createBatching, createTimeLimit, firstAttempt } from "./redis.js";

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
  /**
   * Told when Redis goes away (with the reason) and when it is back (null), at most a few times a second: of a cluster,
   * when the first of its nodes goes, and when all are back.
   */
  readonly onStoreChange: (error: Error | null) => void;
}

/** One prefix for all tiers: a key that changes its tier keeps what it has used. */
const KEY_PREFIX = "carbon-gateway:rate-limit";

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** Counts one, up to a limit, in a window of so many seconds: what it has come to, and the milliseconds left. */
    countUpTo(key: string, limit: number, seconds: number): Result<[count: number, left: number], Context>;
  }
}

/**
 * A refused request is not counted: a key that went on knocking while it was over its limit would otherwise find its
 * budget of a higher tier spent.
 */
const COUNT_UP_TO = {
  numberOfKeys: 1,
  lua: `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local count = redis.call('incr', KEYS[1])
if count > tonumber(ARGV[1]) then redis.call('decr', KEYS[1]) end
return {count, redis.call('pttl', KEYS[1])}`,
};

/** How long a request waits for Redis, and so how slow Redis may become before it counts as away. */
const PATIENCE_MS = 120;

/** How it gets back into use: so many times in a row, one each so many milliseconds, it has counted so quickly. */
const PROBE = { times: 3, everyMs: 200, withinMs: 60 };

/**
 * Fixed windows of one hour, each begun by the key's first request in it. Once Redis has failed to count one request,
 * all are counted in memory, and none waits for it, until it has proved well again: by counting, since a Redis that
 * answers a ping may refuse to write, and twice as quickly as it must, lest one at the edge of its time comes and goes.
 * In a cluster that goes for each of its nodes by itself. Resolves when the first attempt to connect has come to an end.
 */
export async function createRateLimiter(options: RateLimiterOptions): Promise<RateLimiter> {
  const { redisUrls, onStoreChange } = options;
  const memory = countInMemory();
  if (!redisUrls) return { consume: memory, store: () => "memory", stop: async () => undefined };

  const client = connectRedis(redisUrls);
  // The first requests after a start must not be counted apart from those of other processes.
  await firstAttempt(client);
  const redis = countInRedis(client);
  const batch = createBatching(client);
  const countInTime = createTimeLimit(PATIENCE_MS);
  const probeInTime = createTimeLimit(PROBE.withinMs);
  /** Nodes that are away, each with a key that it failed to count, and how often it has counted well since. */
  const away = new Map<string, { readonly keyId: string; goodProbes: number }>();

  const leave = (node: string, keyId: string, error: unknown) => {
    if (away.has(node)) return;
    if (away.size === 0) onStoreChange(error instanceof Error ? error : new Error(String(error)));
    away.set(node, { keyId, goodProbes: 0 });
  };
  const probe = async (node: string, keyId: string) => {
    let isGood = true;
    try {
      // The text in braces is the failed key's name, and decides on the node.
      await probeInTime(redis(`probe:{${KEY_PREFIX}:${keyId}}`, "enterprise"));
    } catch {
      isGood = false;
    }
    const state = away.get(node);
    if (!state) return;
    state.goodProbes = isGood ? state.goodProbes + 1 : 0;
    if (state.goodProbes < PROBE.times) return;
    away.delete(node);
    if (away.size === 0) onStoreChange(null);
  };
  const probing = setInterval(() => {
    for (const [node, { keyId }] of away) probe(node, keyId);
  }, PROBE.everyMs).unref();
  return {
    async consume(keyId, tier) {
      const node = findNode(client, keyId);
      if (away.has(node)) return memory(keyId, tier);
      try {
        batch();
        const [count, left] = await countInTime(redis(keyId, tier));
        return toState(count, left, tier);
      } catch (error) {
        leave(node, keyId, error);
        return memory(keyId, tier);
      }
    },
    store: () => (away.size > 0 || client.status !== "ready" ? "insurance" : "redis"),
    async stop() {
      clearInterval(probing);
      client.disconnect();
    },
  };
}

/** The node of a cluster that counts a key; the empty text for a single Redis, or while the cluster is not known. */
function findNode(client: Redis | Cluster, keyId: string): string {
  return (client instanceof Cluster && client.slots[calculateSlot(`${KEY_PREFIX}:${keyId}`)]?.[0]) || "";
}

/** A key is one key of Redis too, and the script touches no other: a cluster counts each on one of its masters. */
function countInRedis(client: Redis | Cluster) {
  client.defineCommand("countUpTo", COUNT_UP_TO);
  return (keyId: string, tier: Tier) => {
    if (client.status !== "ready") throw new Error(`the connection to Redis is ${client.status}`);
    return client.countUpTo(`${KEY_PREFIX}:${keyId}`, TIER_LIMITS[tier], WINDOW_SECONDS);
  };
}

/** One limiter for all tiers, since two limiters in memory do not share their counts; so the limit is compared here. */
function countInMemory(): RateLimiter["consume"] {
  const limiter = new RateLimiterMemory({
    keyPrefix: KEY_PREFIX,
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
  });
  return async (keyId, tier) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(keyId);
    const state = toState(consumedPoints, msBeforeNext, tier);
    if (!state.allowed) await limiter.reward(keyId);
    return state;
  };
}

function toState(count: number, msLeft: number, tier: Tier): RateLimitState {
  const limit = TIER_LIMITS[tier];
  return {
    tier,
    limit,
    used: Math.min(count, limit),
    remaining: Math.max(limit - count, 0),
    secondsToReset: Math.max(Math.ceil(msLeft / 1_000), 1),
    allowed: count <= limit,
  };
}
