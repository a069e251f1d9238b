import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { createGate, type Turn } from "./gate.js";
import { listenOnServer } from "./listen.js";
import { createClient } from "./prisma-client.js";
import { limitTime } from "./time-limit.js";
import type { Database, DatabaseOptions } from "./types.js";
import { isConnectionLost } from "./unavailable.js";

const MOST_CONNECTIONS = 10;

/** How long a server is waited for when connections are closed. */
const GOODBYE_MS = 2_000;

/** Less than the 3 seconds within which requests are answered, by as much as a busy process, or Redis, may be late. */
const TIME_LIMIT_MS = 2_500;

/**
 * Pauses before a read whose connection was lost is tried again: connections that were cut together are noticed one by
 * one, and a server that is restarted in order is back after some tenths of a second.
 */
const RETRY_PAUSES_MS = [20, 100, 300];

/** Names of prepared statements by their texts, which are few, but nobody has counted them. */
const names = new LRUCache<string, string>({ max: 10_000, memoMethod: (text) => hash("sha1", text) });

const readTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/**
 * The library gives null for what it cannot read, and a key without an end would be one that never ends. Of `infinity`
 * it makes the number, which compares with dates as it should.
 */
function requireTime(text: string): Date | number {
  const time: Date | number | null = readTime(text);
  if (time !== null) return time;
  throw new Error(`a time is to be as in ISO 8601, not ${text}: PostgreSQL's DateStyle has to be ISO`);
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: requireTime,
};
const TYPES = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    PARSERS[type] ?? pg.types.getTypeParser(type, format),
} as pg.CustomTypesConfig;

/** Opens a pool of connections to a PostgreSQL server. Connects on first use, and again after every failure. */
export function openPostgres(
  url: string,
  {
    directUrl,
    statementTimeoutMs,
    onError,
  }: Pick<DatabaseOptions, "directUrl" | "statementTimeoutMs" | "onError">,
): Database {
  const isPooled = directUrl !== undefined;
  const nameOf = (text: string) => (isPooled ? undefined : names.memo(text));
  const connection = { connectionString: url, application_name: "carbon-gateway", keepAlive: true };
  const pool = new pg.Pool({
    ...connection,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    // For `close`: connections that a server which hangs does not end must not keep the process alive.
    allowExitOnIdle: true,
    // Poolers refuse to connect with these.
    ...(!isPooled && {
      // Whatever the database or the role has as its own. (A URL with options of its own has to say the same.)
      options: "-c DateStyle=ISO -c extra_float_digits=1",
      statement_timeout: statementTimeoutMs || false,
    }),
    // The server may hang and not end the statement itself.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + 500 }),
  });
  pool.on("error", onError);
  const gate = createGate(MOST_CONNECTIONS / 2);
  const prisma = createClient(
    new PrismaPg(pool, {
      disposeExternalPool: false,
      ...(!isPooled && { statementNameGenerator: ({ sql }) => names.memo(sql) }),
    }),
  );

  return {
    prisma,
    timeLimitMs: TIME_LIMIT_MS,
    async select<Row>(text: string, values: readonly unknown[], turn?: Turn) {
      const query = { name: nameOf(text), text, values: [...values], types: TYPES };
      const read = () => readAgain(() => pool.query(query));
      return (await (turn ? gate(turn, read) : read())).rows as Row[];
    },
    listen: (channel, listener) => {
      const options = { ...connection, connectionString: directUrl ?? url };
      return listenOnServer(options, { channel, echoOver: connection }, listener);
    },
    async transaction(work) {
      const client = await pool.connect();
      // A connection that is lost between two statements tells nobody else, and would end the process.
      client.on("error", onError);
      try {
        await client.query("BEGIN");
        const result = await work({
          async script(sql) {
            await client.query(sql);
          },
          async query<Row>(sql: string, parameters: readonly unknown[] = []) {
            return (await client.query(sql, [...parameters])).rows as Row[];
          },
          async execute(sql, parameters = []) {
            return (await client.query(sql, [...parameters])).rowCount ?? 0;
          },
          async copy(target, lines) {
            // One part at a time: they are large.
            await pipeline(
              Readable.from(lines, { highWaterMark: 1 }),
              client.query(copyFrom(`COPY ${target} FROM STDIN`)),
            );
          },
        });
        await client.query("COMMIT");
        client.off("error", onError).release();
        return result;
      } catch (error) {
        const rolledBack = await client.query("ROLLBACK").then(
          () => true,
          () => false,
        );
        client.off("error", onError);
        client.release(!rolledBack);
        throw error;
      }
    },
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      max: pool.options.max,
      waiting: pool.waitingCount,
    }),
    async close() {
      await prisma.$disconnect();
      // A server that hangs does not end its connections.
      await limitTime(GOODBYE_MS)(() => pool.end()).catch(() => undefined);
    },
  };
}

async function readAgain<T>(read: () => Promise<T>): Promise<T> {
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
