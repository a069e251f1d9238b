import type { Config } from "../../config.js";
import { type RedisState, readRedisState } from "../../limits/budget/redis-state.js";
import { compareClocks, type Finding, fail, ok, reasonOf, warn } from "./finding.js";

const OLDEST_MAJOR = 6;

/** Checks whether requests can be counted in Redis; finds nothing if none is set. */
export async function examineRedis({ redisUrls }: Config, clock: () => Date): Promise<Finding[]> {
  if (redisUrls === undefined) return [];
  try {
    const states = await readRedisState(redisUrls, clock);
    return [
      ...states.flatMap((state) => examineOne(state, redisUrls.length === 1)),
      ...(redisUrls.length > 1 ? examineCoverage(states) : []),
    ];
  } catch (error) {
    return [
      fail(
        "redis",
        `Redis cannot be reached: ${reasonOf(error)}.`,
        "Start Redis, or correct REDIS_URL with its address, user and password. Until then each gateway counts requests on its own.",
      ),
    ];
  }
}

function examineOne(state: RedisState, isAlone: boolean): Finding[] {
  const { address, version } = state;
  return [
    state.isReplica
      ? fail("redis", `${address} is a replica, which cannot count.`, "Set REDIS_URL to the master.")
      : state.isCluster && isAlone
        ? fail(
            "redis",
            `${address} is one node of a cluster, and REDIS_URL names no other: it counts only its own part of the keys.`,
            "Name several nodes of the cluster in REDIS_URL, separated by commas.",
          )
        : Number.parseInt(version, 10) < OLDEST_MAJOR
          ? warn(
              "redis",
              `${address} answers; its version is ${version}.`,
              `Use Redis ${OLDEST_MAJOR} or later.`,
            )
          : ok("redis", `${address} answers; its version is ${version}.`),
    examineEviction(state),
    compareClocks(`Redis (${address})`, state),
  ];
}

function examineCoverage(masters: readonly RedisState[]): Finding[] {
  const check = "redis cluster";
  const strict = masters.filter(({ servesInPart }) => servesInPart === false).map(({ address }) => address);
  if (strict.length === 0) return [ok(check, `All ${masters.length} masters answer.`)];
  return [
    warn(
      check,
      `${strict.join(", ")} would stop counting while any master of the cluster is down.`,
      "Set cluster-require-full-coverage to no: then gateways count on their own only the keys of the master that is down.",
    ),
  ];
}

/**
 * Every counter has a time to live. So each policy but `noeviction` may remove counters when memory is full, `volatile-*`
 * nothing but them where other data has none; and a key whose counter is gone has its whole budget again.
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
    `${message}: when memory is full, it evicts counters, and their keys start over with a full limit.`,
    "Set maxmemory-policy noeviction, and use a Redis for the counters alone. When it is full, gateways count on their own.",
  );
}
