import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { limitTime, tooLong } from "../../../time-limit.js";
import { createClient } from "../prisma-client.js";
import type { Database, DatabaseOptions } from "../types.js";
import { isConnectionLost } from "../unavailable.js";
import { createWriteQueues, MAX_CHECKS } from "../write-queues.js";
import { listenOnServer } from "./listen.js";
import {
  type CommittedChange,
  createPool,
  createSelect,
  MAX_CONNECTIONS,
  openSnapshot,
  runTransaction,
} from "./pool.js";
import { createReplicas } from "./replicas.js";

/** Time that `close` waits for the servers. */
const CLOSE_MS = 2_000;

/** Requests are answered within 3 seconds, half a second of which is reserved for a busy process or slow Redis. */
const TIME_LIMIT_MS = 2_500;

/** First pause before trying again what got no connection or lost it. Each further pause is longer, up to 200 ms. */
const RETRY_PAUSE_MS = 20;

/** Time to wait for a server that restarts. The rest of the time limit is for the answer. */
const RESTART_MS = TIME_LIMIT_MS - 200;
/** The same where a replica can answer instead. */
const REPLICA_TAKES_OVER_MS = 400;

/**
 * Number of a transaction's changes above which triggers may not have gathered all. They gather 20,000 characters, at
 * 70 to 120 per change.
 */
const MAX_GATHERED = 150;

/** Names of prepared statements by text. There are few, but nothing else limits their number. */
const names = new LRUCache<string, string>({ max: 10_000, memoMethod: (text) => hash("sha1", text) });

/** Opens a PostgreSQL server. Connects on first use, and again after a failure. */
export function openPostgres(
  url: string,
  {
    directUrl,
    replicaUrls = [],
    replicaMaxLagMs = Number.POSITIVE_INFINITY,
    onReplicaChange = () => undefined,
    statementTimeoutMs,
    onError,
    warn = () => undefined,
  }: Omit<DatabaseOptions, "url" | "dataDir" | "onLost">,
): Database {
  const isPooled = directUrl !== undefined;
  const connectionOf = (connectionString: string) => ({
    connectionString,
    application_name: "carbon-gateway",
    keepAlive: true,
  });
  const connection = connectionOf(url);
  // Behind a transaction pooler, each statement may run on a connection that has not prepared it.
  const nameStatement = (text: string) => (isPooled ? undefined : names.memo(text));
  const poolOf = (server: pg.ClientConfig, max?: number) =>
    createPool(server, { isPooled, statementTimeoutMs, onError, max });
  const pool = poolOf(connection);
  const checks = poolOf(connection, MAX_CHECKS);
  const queue = { perOwner: MAX_CONNECTIONS / 2, refuse: () => tooLong(TIME_LIMIT_MS) };
  const prisma = createClient(
    new PrismaPg(pool, {
      disposeExternalPool: false,
      ...(!isPooled && { statementNameGenerator: ({ sql }) => names.memo(sql) }),
    }),
  );

  const retry = retryIfLost(replicaUrls.length === 0 ? RESTART_MS : REPLICA_TAKES_OVER_MS);
  const select = createSelect(pool, nameStatement, queue, retry);
  const retryConnect = retryIfLost(RESTART_MS);
  const replicas =
    replicaUrls.length === 0
      ? undefined
      : createReplicas({
          urls: replicaUrls,
          maxLagMs: replicaMaxLagMs,
          connectionOf,
          createPool: poolOf,
          nameStatement,
          queue,
          selectFromPrimary: select,
          onReplicaChange,
        });
  const onCommitted = (changes: readonly CommittedChange[]) => {
    // There may be more changes than the triggers gathered.
    const isIncomplete = changes.length > MAX_GATHERED;
    for (const { owner, position } of changes)
      replicas?.changed({ organizationId: owner === "*" || isIncomplete ? null : owner }, position);
  };

  return {
    prisma,
    replicas,
    timeLimitMs: TIME_LIMIT_MS,
    select,
    listen: (channel, listener) =>
      listenOnServer(
        connectionOf(directUrl ?? url),
        { channel, shared: connection, isPooled, nameStatement, replicas },
        listener,
      ),
    writeQueues: createWriteQueues(),
    transaction: (work, options) =>
      runTransaction(
        options?.isCheck ? checks : pool,
        { onError, nameStatement, onCommitted, retryConnect },
        work,
        options,
      ),
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
      // A hanging server does not close its connections.
      await limitTime(CLOSE_MS)(() => Promise.all([pool.end(), checks.end(), replicas?.close()])).catch(
        () => undefined,
      );
    },
  };
}

/** Returns true for a deadlock, such as with `migrate`, which locks one table after another. */
const isDeadlock = (error: unknown): boolean => (error as { code?: unknown }).code === "40P01";

/** Returns a function that tries again for `limitMs` what got no connection or lost it, and changes nothing. */
const retryIfLost =
  (limitMs: number) =>
  async <T>(attempt: () => Promise<T>): Promise<T> => {
    const end = performance.now() + limitMs;
    for (let pause = RETRY_PAUSE_MS; ; pause = Math.min(pause * 2, 200)) {
      try {
        return await attempt();
      } catch (error) {
        const mayPass = isConnectionLost(error) || isDeadlock(error);
        if (!mayPass || performance.now() + pause > end) throw error;
        await delay(pause);
      }
    }
  };
