import { once } from "node:events";
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";

/** Maximum pause between two attempts to connect. */
const MAX_PAUSE_MS = 500;

/**
 * Commands do not wait for an unavailable Redis, and are not sent again when it is back: requests that were counted in
 * memory in the meantime would count twice. A silent connection is replaced.
 */
const FAIL_FAST = {
  connectTimeout: 500,
  socketTimeout: 2_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, MAX_PAUSE_MS),
  // While loading its file, Redis suggests how long to wait. This limits it.
  maxLoadingRetryTime: MAX_PAUSE_MS,
} satisfies RedisOptions;

/**
 * The same for a cluster, whose masters fail and return one by one. Commands wait while the client connects to a
 * master, and fail at once if it cannot.
 */
const CLUSTER = {
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: (attempt: number) => Math.min(attempt * 100, MAX_PAUSE_MS),
  slotsRefreshTimeout: 500,
} satisfies ClusterOptions;

/** Connects to one Redis, or to a cluster if there are several URLs. Reconnects until the client is disconnected. */
export function connectRedis(urls: readonly string[]): Redis | Cluster {
  const [first = "", ...others] = urls;
  const client = others.length > 0 ? connectCluster(urls, first) : new Redis(first, FAIL_FAST);
  // Without a listener, an `error` event would end the process. Each command reports its own failure.
  client.on("error", () => undefined);
  return client;
}

/** Connects to a cluster. Discovered nodes use the protocol, user and password of the first URL. */
function connectCluster(urls: readonly string[], first: string): Cluster {
  const { protocol, username, password } = new URL(first);
  const redisOptions = {
    ...FAIL_FAST,
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
    ...(protocol === "rediss:" && { tls: {} }),
  };
  return new Cluster([...urls], {
    ...CLUSTER,
    redisOptions,
    // Certificates are issued for names, so names must not be resolved to addresses.
    ...(protocol === "rediss:" && { dnsLookup: (name, done) => done(null, name) }),
  });
}

/** Creates the function that returns the reason why a client is not connected; undefined if it is, or none is known. */
export function watchFailures(client: Redis | Cluster): () => Error | undefined {
  let last: Error | undefined;
  client.on("error", (error: Error & { lastNodeError?: Error }) => {
    last = error.lastNodeError ?? error;
  });
  client.on("ready", () => {
    last = undefined;
  });
  return () => last;
}

const STEP_MS = 20;

/**
 * Rejects if `answer` takes longer than `limitMs`, a multiple of 20. Waits in steps, so that a pause of this process
 * counts as one step. ioredis' `commandTimeout` measures by the clock, so answers that arrived during the pause would
 * be too late.
 */
export function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  let steps = limitMs / STEP_MS;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const step = () => {
      steps -= 1;
      if (steps >= 0) timer = setTimeout(step, STEP_MS);
      else reject(new Error(`no answer within ${limitMs} ms`));
    };
    step();
  });
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}

/** Resolves when the first attempt to connect has succeeded or failed, or after half a second. */
export async function firstAttempt(client: Redis | Cluster): Promise<void> {
  // `once` rejects at the first `error` event.
  await inTime(once(client, "ready"), 500).catch(() => undefined);
}
