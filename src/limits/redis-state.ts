import { once } from "node:events";
import { Cluster, type Redis } from "ioredis";
import { connectRedis } from "./redis.js";

/** One Redis, as it describes itself. */
export interface RedisState {
  /** Host and port. */
  readonly address: string;
  readonly version: string;
  readonly isReplica: boolean;
  readonly isCluster: boolean;
  /** Bytes, 0 for no limit. */
  readonly maxMemory: number;
  readonly evictionPolicy: string;
  /** Its clock, and this machine's before it was asked and after, in milliseconds since 1970. */
  readonly time: number;
  readonly asked: number;
  readonly answered: number;
}

const CONNECT_MS = 2_000;

/** Asks the Redis of `urls`, or each master of the cluster, what it is. Throws what keeps it from answering. */
export async function readRedisState(urls: readonly string[], clock: () => Date): Promise<RedisState[]> {
  const client = connectRedis(urls);
  try {
    await ready(client);
    const masters = client instanceof Cluster ? client.nodes("master") : [client];
    return await inTime(Promise.all(masters.map((master) => ask(master, clock))));
  } finally {
    client.disconnect();
  }
}

async function ask(redis: Redis, clock: () => Date): Promise<RedisState> {
  // A cluster connects to a node when it is first needed.
  if (redis.status === "wait") await redis.connect();
  else if (redis.status !== "ready") await once(redis, "ready");
  const asked = clock().getTime();
  const [seconds, micros] = await redis.time();
  const answered = clock().getTime();
  const lines = (await redis.info()).split("\r\n").map((line) => line.split(":"));
  const info = new Map(lines.map(([name = "", ...value]) => [name, value.join(":")]));
  return {
    address: `${redis.options.host}:${redis.options.port}`,
    version: info.get("redis_version") ?? "unknown",
    isReplica: info.get("role") === "slave",
    isCluster: info.get("cluster_enabled") === "1",
    maxMemory: Number(info.get("maxmemory") ?? 0),
    evictionPolicy: info.get("maxmemory_policy") ?? "unknown",
    time: Number(seconds) * 1_000 + Number(micros) / 1_000,
    asked,
    answered,
  };
}

function ready(client: Redis | Cluster): Promise<void> {
  let reason: Error | undefined;
  client.on("error", (error: Error & { lastNodeError?: Error }) => {
    reason = error.lastNodeError ?? error;
  });
  const isReady = new Promise<void>((resolve) => {
    if (client.status === "ready") resolve();
    else client.once("ready", resolve);
  });
  return inTime(isReady, () => reason);
}

async function inTime<T>(work: Promise<T>, reason: () => Error | undefined = () => undefined): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(reason() ?? new Error(`no answer within ${CONNECT_MS / 1_000} seconds`));
    timer = setTimeout(giveUp, CONNECT_MS);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
