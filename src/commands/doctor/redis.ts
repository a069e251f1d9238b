import type { Config } from "../../config.js";
import { isUntrusted } from "../../data/database/server/tls.js";
import { type RedisState, readRedisState } from "../../limits/budget/redis-state.js";
import { compareClocks, type Finding, fail, ok, reasonOf, warn } from "./finding.js";

const OLDEST_MAJOR = 6;

/** Checks that requests can be counted in Redis. Returns no findings if REDIS_URL is unset. */
export async function examineRedis({ redisUrls }: Config, clock: () => Date): Promise<Finding[]> {
  if (redisUrls === undefined) return [];
  try {
    const states = await readRedisState(redisUrls, clock);
    return [
      ...states.flatMap((state) => examineOne(state, redisUrls.length === 1)),
      ...(redisUrls.length > 1 ? examineCoverage(states) : []),
    ];
  } catch (error) {
    const mend = isUntrusted(error)
      ? "Set NODE_EXTRA_CA_CERTS to a file with the CA of Redis (PEM), and use a host name of its certificate in REDIS_URL."
      : "Start Redis, or correct REDIS_URL: address, user and password.";
    return [
      fail(
        "redis",
        `Cannot connect to Redis: ${reasonOf(error)}.`,
        `${mend} Until then, each gateway counts requests separately.`,
      ),
    ];
  }
}

function examineOne(state: RedisState, isAlone: boolean): Finding[] {
  const { address, version } = state;
  return [
    state.isReplica
      ? fail("redis", `${address} is a replica, which cannot count requests.`, "Set REDIS_URL to the master.")
      : state.isCluster && isAlone
        ? fail(
            "redis",
            `${address} is one node of a cluster, and can count only its own share of the keys.`,
            "List several nodes of the cluster in REDIS_URL, separated by commas.",
          )
        : Number.parseInt(version, 10) < OLDEST_MAJOR
          ? warn("redis", `${address} runs Redis ${version}.`, `Use Redis ${OLDEST_MAJOR} or later.`)
          : ok("redis", `${address} runs Redis ${version}.`),
    examineEviction(state),
    compareClocks(`Redis (${address})`, state),
  ];
}

function examineCoverage(masters: readonly RedisState[]): Finding[] {
  const check = "redis cluster";
  const strict = masters.filter(({ servesInPart }) => servesInPart === false).map(({ address }) => address);
  if (strict.length === 0) return [ok(check, `All ${masters.length} masters are reachable.`)];
  return [
    warn(
      check,
      `${strict.join(", ")} would stop counting if any master of the cluster failed.`,
      "Set cluster-require-full-coverage to no: gateways then count separately only for the keys of the failed master.",
    ),
  ];
}

/**
 * Checks that Redis never evicts counters: an API key that has lost its counter starts over with a full limit. Counters
 * have a time to live, so every policy except `noeviction` may evict them when memory is full.
 */
function examineEviction({ address, maxMemory, evictionPolicy }: RedisState): Finding {
  const check = "redis eviction";
  const limit =
    maxMemory === 0 ? "no memory limit" : `a memory limit of ${(maxMemory / 2 ** 20).toFixed(0)} MiB`;
  const message = `${address} has ${limit} and the policy ${evictionPolicy}`;
  if (evictionPolicy === "noeviction") return ok(check, `${message}: it keeps every counter.`);
  if (maxMemory === 0) return ok(check, `${message}, which only applies with a memory limit.`);
  return warn(
    check,
    `${message}: when memory is full, counters are evicted, and their keys start over with a full limit.`,
    "Set maxmemory-policy noeviction, and use this Redis only for counters. If it is full, gateways count separately.",
  );
}
