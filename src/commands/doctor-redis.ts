import type { Config } from "../config.js";
import { type RedisState, readRedisState } from "../limits/redis-state.js";
import { compareClocks, type Finding, fail, ok, reasonOf, warn } from "./doctor-finding.js";

const OLDEST_MAJOR = 6;

/** Whether requests can be counted in Redis; nothing where none is set. */
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
        `Redis cannot be asked: ${reasonOf(error)}.`,
        "Start it, or set REDIS_URL to where it is, with its user and password. Gateways count in their own memory meanwhile.",
      ),
    ];
  }
}

function examineOne(state: RedisState, isAlone: boolean): Finding[] {
  const { address, version } = state;
  return [
    state.isReplica
      ? fail("redis", `${address} is a replica: it counts nothing.`, "Set REDIS_URL to the master.")
      : state.isCluster && isAlone
        ? fail(
            "redis",
            `${address} belongs to a cluster, and REDIS_URL names it alone: it counts its own keys only.`,
            "Name several of its nodes, separated by commas.",
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
  if (strict.length === 0) return [ok(check, `It has ${masters.length} masters, and all of them answer.`)];
  return [
    warn(
      check,
      `${strict.join(", ")} would count nothing while any master of the cluster is away.`,
      "Set cluster-require-full-coverage to no: then it is the keys of the one that is away alone that gateways count in their own memory.",
    ),
  ];
}

/**
 * Every counter has a time to live. So each policy but `noeviction` may remove counters when memory is full, `volatile-*`
 * nothing but them where other data has none; and a key whose counter is gone has its whole budget again.
 */
function examineEviction({ address, maxMemory, evictionPolicy }: RedisState): Finding {
  const check = "redis eviction";
  const limit = maxMemory === 0 ? "no limit of memory" : `a limit of ${(maxMemory / 2 ** 20).toFixed(0)} MiB`;
  const message = `${address} has ${limit} and the policy ${evictionPolicy}`;
  if (evictionPolicy === "noeviction") return ok(check, `${message}: it keeps every counter.`);
  if (maxMemory === 0) return ok(check, `${message}, which comes into force with a limit only.`);
  return warn(
    check,
    `${message}: when memory is full it removes counters, and their keys have a whole budget again.`,
    "Set maxmemory-policy noeviction, and give the counters a Redis of their own: full, it refuses to count, and gateways count in their own memory.",
  );
}
