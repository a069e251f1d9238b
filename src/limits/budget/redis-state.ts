import { once } from "node:events";
import { Cluster, type Redis } from "ioredis";
import { connectRedis, inTime, watchFailures } from "./redis.js";

/** State reported by one Redis server. */
export interface RedisState {
  /** Host and port. */
  readonly address: string;
  readonly version: string;
  readonly isReplica: boolean;
  readonly isCluster: boolean;
  /** True if the cluster keeps serving while some masters are unavailable; null if it does not report this. */
  readonly servesInPart: boolean | null;
  /** In bytes; 0 for no limit. */
  readonly maxMemory: number;
  readonly evictionPolicy: string;
  /** Time by the server's clock, in milliseconds since 1970. */
  readonly time: number;
  /** Time by this machine's clock just before and just after `time` was read. */
  readonly asked: number;
  readonly answered: number;
}

const CONNECT_MS = 2_000;

/** Reads the state of a Redis server, or of each master of a cluster. Rejects if one does not answer. */
export async function readRedisState(urls: readonly string[], clock: () => Date): Promise<RedisState[]> {
  const client = connectRedis(urls);
  try {
    await ready(client);
    if (!(client instanceof Cluster)) return [await inTime(ask(client, clock), CONNECT_MS)];
    const masters = client.nodes("master").map((redis) => ({ redis, address: addressOf(redis) }));
    return await Promise.all(
      masters
        .toSorted((a, b) => a.address.localeCompare(b.address))
        .map(({ redis, address }) =>
          inTime(ask(redis, clock), CONNECT_MS).catch((error: unknown) => {
            throw new Error(`the master ${address} of the cluster does not answer`, { cause: error });
          }),
        ),
    );
  } finally {
    client.disconnect();
  }
}

function addressOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}

async function ask(redis: Redis, clock: () => Date): Promise<RedisState> {
  // A cluster's nodes connect on first use.
  if (redis.status === "wait") await redis.connect();
  else if (redis.status !== "ready") await once(redis, "ready");
  // Fails if the database does not exist. Otherwise, requests would silently be counted in database 0.
  if (redis.options.db) await redis.select(redis.options.db);
  const asked = clock().getTime();
  const [seconds, micros] = await redis.time();
  const answered = clock().getTime();
  const lines = (await redis.info()).split("\r\n").map((line) => line.split(":"));
  const info = new Map(lines.map(([name = "", ...value]) => [name, value.join(":")]));
  const isCluster = info.get("cluster_enabled") === "1";
  // Hosted services often refuse CONFIG.
  const coverage = isCluster
    ? await redis.config("GET", "cluster-require-full-coverage").catch(() => [])
    : [];
  return {
    address: addressOf(redis),
    version: info.get("redis_version") ?? "unknown",
    isReplica: info.get("role") === "slave",
    isCluster,
    servesInPart: coverage[1] === undefined ? null : coverage[1] === "no",
    maxMemory: Number(info.get("maxmemory") ?? 0),
    evictionPolicy: info.get("maxmemory_policy") ?? "unknown",
    time: Number(seconds) * 1_000 + Number(micros) / 1_000,
    asked,
    answered,
  };
}

async function ready(client: Redis | Cluster): Promise<void> {
  const lastFailure = watchFailures(client);
  if (client.status === "ready") return;
  await inTime(once(client, "ready"), CONNECT_MS).catch((error: unknown) => {
    throw lastFailure() ?? error;
  });
}
