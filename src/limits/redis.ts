import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";

/**
 * No command may wait for a Redis that is away or hangs, nor be sent again after it has come back: what was counted
 * in memory meanwhile would be counted twice.
 */
const FAIL_FAST = {
  connectTimeout: 500,
  commandTimeout: 200,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
} satisfies RedisOptions;

const CLUSTER = {
  enableOfflineQueue: false,
  clusterRetryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
  slotsRefreshTimeout: 500,
  redisOptions: FAIL_FAST,
} satisfies ClusterOptions;

/** Connects to one Redis, or to a cluster when there are several URLs. Goes on trying for as long as it lives. */
export function connectRedis(urls: readonly string[]): Redis | Cluster {
  const [first = "", ...others] = urls;
  const client = others.length > 0 ? new Cluster([...urls], CLUSTER) : new Redis(first, FAIL_FAST);
  // Without a listener an `error` event would end the process; the limiter notices failures call by call.
  client.on("error", () => undefined);
  return client;
}
