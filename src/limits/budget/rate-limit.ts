import calculateSlot from "cluster-key-slot";
import { Cluster, type Redis } from "ioredis";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { RateLimitState } from "../../domain/rate-limit.js";
import { TIER_LIMITS, type Tier, WINDOW_SECONDS } from "../../domain/tiers.js";
import { type Counted, countTogether, createCountAll } from "./count.js";
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
  /**
   * Told when Redis goes away (with the reason) and when it is back (null), at most a few times a second: of a cluster,
   * when the first of its nodes goes, and when all are back.
   */
  readonly onStoreChange: (error: Error | null) => void;
}

/** One prefix for all tiers: a key that changes its tier keeps what it has used. */
const KEY_PREFIX = "carbon-gateway:rate-limit";
/** The name in Redis of a key's budget. */
const nameOf = (keyId: string) => `${KEY_PREFIX}:${keyId}`;

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
  const countAll = createCountAll(client);
  // The first requests after a start must not be counted apart from those of other processes.
  await firstAttempt(client);
  const countInTime = createTimeLimit(PATIENCE_MS);
  const count = countTogether(client, (keys, limits) => countInTime(countAll(keys, limits)));
  const probeInTime = createTimeLimit(PROBE.withinMs);
  /** Nodes that are away, each with a key that it failed to count, and how often it has counted well since. */
  const away = new Map<string, { readonly keyId: string; goodProbes: number }>();

  const leave = (node: string, keyId: string, error: unknown) => {
    if (away.has(node)) return;
    if (away.size === 0) onStoreChange(error instanceof Error ? error : new Error(String(error)));
    away.set(node, { keyId, goodProbes: 0 });
  };
  // The text in braces decides on the node.
  const countProbe = (keyId: string) =>
    countAll([`${KEY_PREFIX}:probe:{${nameOf(keyId)}}`], [TIER_LIMITS.enterprise]);
  const probe = async (node: string, keyId: string) => {
    const counted = probeInTime(countProbe(keyId));
    const isGood = await counted.then(
      () => true,
      () => false,
    );
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
  // Whoever has started it wants to know before somebody asks.
  await countInTime(countProbe("start")).catch((error) => leave(findNode(client, "start"), "start", error));
  return {
    async consume(keyId, tier) {
      const node = findNode(client, keyId);
      if (away.has(node)) return memory(keyId, tier);
      try {
        return toState(await count(nameOf(keyId), TIER_LIMITS[tier]), tier);
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
  return (client instanceof Cluster && client.slots[calculateSlot(nameOf(keyId))]?.[0]) || "";
}

/** One limiter for all tiers, since two limiters in memory do not share their counts; so the limit is compared here. */
function countInMemory(): RateLimiter["consume"] {
  const limiter = new RateLimiterMemory({
    keyPrefix: KEY_PREFIX,
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
  });
  return async (keyId, tier) => {
    const { consumedPoints: count, msBeforeNext: msLeft } = await limiter.consume(keyId);
    const state = toState({ count, msLeft }, tier);
    if (!state.allowed) await limiter.reward(keyId);
    return state;
  };
}

function toState({ count, msLeft }: Counted, tier: Tier): RateLimitState {
  const limit = TIER_LIMITS[tier];
  return {
    tier,
    limit,
    used: Math.min(count, limit),
    remaining: Math.max(limit - count, 0),
    msToReset: msLeft,
    secondsToReset: Math.max(Math.ceil(msLeft / 1_000), 1),
    allowed: count <= limit,
  };
}
