import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";

/** Between two attempts to connect. */
const MOST_PAUSE_MS = 500;

/**
 * No command may wait for a Redis that is away, nor be sent again after it has come back: what was counted in memory
 * meanwhile would be counted twice. A connection that stays mute is given up for a new one.
 */
const FAIL_FAST = {
  connectTimeout: 500,
  socketTimeout: 2_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, MOST_PAUSE_MS),
  // While it reads its file at the start, Redis names the time that it expects to need.
  maxLoadingRetryTime: MOST_PAUSE_MS,
} satisfies RedisOptions;

/**
 * The same of a cluster, where masters come and go one by one: commands wait for a master that is being connected to,
 * and fail at once where it cannot be. A limiter that finds the cluster not ready sends none.
 */
const CLUSTER = {
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: (attempt: number) => Math.min(attempt * 100, MOST_PAUSE_MS),
  slotsRefreshTimeout: 500,
} satisfies ClusterOptions;

/** Connects to one Redis, or to a cluster when there are several URLs. Goes on trying for as long as it lives. */
export function connectRedis(urls: readonly string[]): Redis | Cluster {
  const [first = "", ...others] = urls;
  const client = others.length > 0 ? connectCluster(urls, first) : new Redis(first, FAIL_FAST);
  // Without a listener an `error` event would end the process; the limiter notices failures call by call.
  client.on("error", () => undefined);
  return client;
}

/** The nodes that others tell of, under whatever address, are reached as the first that is named: all have one way in. */
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
    // A certificate is of a name, and not of the address that it stands for.
    ...(protocol === "rediss:" && { dnsLookup: (name, done) => done(null, name) }),
  });
}

/** Makes the function that tells why a client is not connected; undefined where it is, or nothing is known. */
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

const TICK_MS = 20;

/**
 * Makes the function that rejects what Redis has not answered after `limitMs`, a multiple of 20. They are counted in
 * ticks, and a pause of this process, however long, is one tick: by the clock, an answer that lies unread behind a burst
 * of work would count as a Redis that hangs. (ioredis' `commandTimeout` goes by the clock.) One timer for all: one each
 * costs as much as the counting itself.
 */
export function createTimeLimit(limitMs: number) {
  interface Wait {
    readonly until: number;
    readonly giveUp: () => void;
    isOver: boolean;
  }
  // Not a Map, which keeps its replaced tables, and all that they held, reachable for long.
  let waits: Wait[] = [];
  let tick = 0;
  let timer: NodeJS.Timeout | undefined;
  const onTick = () => {
    tick += 1;
    waits = waits.filter((wait) => {
      if (!wait.isOver && tick >= wait.until) wait.giveUp();
      return !wait.isOver;
    });
    if (waits.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      timer ??= setInterval(onTick, TICK_MS);
      const wait: Wait = {
        until: tick + limitMs / TICK_MS,
        giveUp() {
          wait.isOver = true;
          reject(new Error(`Redis did not answer within ${limitMs} ms`));
        },
        isOver: false,
      };
      waits.push(wait);
      answer.then(
        (value) => {
          wait.isOver = true;
          resolve(value);
        },
        (error: unknown) => {
          wait.isOver = true;
          reject(error);
        },
      );
    });
}

/** Resolves when the first attempt to connect has come to an end, whichever, or after half a second. */
export function firstAttempt(client: Redis | Cluster): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 500);
    for (const end of ["ready", "close", "end"]) {
      client.once(end, () => {
        clearTimeout(timer);
        resolve();
      });
    }
  });
}
