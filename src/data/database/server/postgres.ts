import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { LRUCache } from "lru-cache";
import { limitTime, tooLong } from "../../../time-limit.js";
import { createPlaces, type Queued } from "../places.js";
import { createClient } from "../prisma-client.js";
import type { Database, DatabaseOptions } from "../types.js";
import { isConnectionLost } from "../unavailable.js";
import { createWritePlaces } from "../write-places.js";
import { COLUMN_TYPES } from "./column-types.js";
import { listenOnServer } from "./listen.js";
import { createPool, MAX_CONNECTIONS, openSnapshot, runTransaction } from "./pool.js";

/** Time that `close` waits for a server. */
const CLOSE_MS = 2_000;

/** Requests are answered within 3 seconds. The remaining half second is for delays of a busy process or of Redis. */
const TIME_LIMIT_MS = 2_500;

/**
 * Pauses before a retry of a read whose connection was lost: connections that were cut together fail one by one, and a
 * server that restarts cleanly is back after some tenths of a second.
 */
const RETRY_PAUSES_MS = [20, 100, 300];

/** Names of prepared statements by their text. There are few, but nothing limits their number. */
const names = new LRUCache<string, string>({ max: 10_000, memoMethod: (text) => hash("sha1", text) });

/** Opens a PostgreSQL server. It connects on first use, and again after every failure. */
export function openPostgres(
  url: string,
  {
    directUrl,
    statementTimeoutMs,
    onError,
    warn = () => undefined,
  }: Pick<DatabaseOptions, "directUrl" | "statementTimeoutMs" | "onError" | "warn">,
): Database {
  const isPooled = directUrl !== undefined;
  const connection = { connectionString: url, application_name: "carbon-gateway", keepAlive: true };
  // Behind a transaction pooler each statement may run on another connection, which has not prepared it.
  const nameStatement = (text: string) => (isPooled ? undefined : names.memo(text));
  const pool = createPool(connection, { isPooled, statementTimeoutMs, onError });
  const withPlace = createPlaces({
    each: MAX_CONNECTIONS / 2,
    refuse: () => tooLong(TIME_LIMIT_MS),
  });
  const prisma = createClient(
    new PrismaPg(pool, {
      disposeExternalPool: false,
      ...(!isPooled && { statementNameGenerator: ({ sql }) => names.memo(sql) }),
    }),
  );

  return {
    prisma,
    timeLimitMs: TIME_LIMIT_MS,
    async select<Row>(text: string, values: readonly unknown[], queued?: Queued) {
      const query = { name: nameStatement(text), text, values: [...values], types: COLUMN_TYPES };
      const read = () => retryIfLost(() => pool.query(query));
      return (await (queued ? withPlace(queued, read) : read())).rows as Row[];
    },
    listen: (channel, listener) => {
      const direct = { ...connection, connectionString: directUrl ?? url };
      return listenOnServer(direct, { channel, echoOver: connection }, listener);
    },
    writePlaces: createWritePlaces(),
    transaction: (work, options) => runTransaction(pool, { onError, nameStatement }, work, options),
    openSnapshot: () => openSnapshot(connection, onError),
    warn,
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      max: pool.options.max,
      waiting: pool.waitingCount,
    }),
    async close() {
      await prisma.$disconnect();
      // A server that hangs does not end its connections.
      await limitTime(CLOSE_MS)(() => pool.end()).catch(() => undefined);
    },
  };
}

async function retryIfLost<T>(read: () => Promise<T>): Promise<T> {
  for (const pause of RETRY_PAUSES_MS) {
    try {
      return await read();
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      await delay(pause);
    }
  }
  return read();
}
