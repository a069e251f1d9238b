import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Listening, MessageListener, Query } from "../types.js";

const HEARTBEAT_MS = 200;
/** Every so many heartbeats, the listener checks that no message is missing. */
const CHECK_EVERY = 2;
/** Time for which a connection counts as alive after the request for a heartbeat that it answered. */
const LEASE_MS = 800;
const ANSWER_MS = 1_000;
const RETRY_MS = 200;
const UNHEARD =
  "NOTIFY messages do not arrive: if DATABASE_URL points to a transaction pooler, DATABASE_DIRECT_URL must point to PostgreSQL itself";

/** Prefix of the messages that a listener sends to itself. */
const ECHO = "echo ";

interface Channel {
  readonly channel: string;
  /** The connection over which a listener sends its echo, the same as for other messages. */
  readonly echoOver: pg.ClientConfig;
}

/**
 * Listens to a channel over its own connection, which is replaced whenever it is lost. Heartbeats detect a connection
 * that is lost silently; the answer to one also proves that every earlier message has arrived. Behind a transaction
 * pooler LISTEN succeeds but nothing arrives, so a new connection first has to receive an echo. A separate short
 * connection sends the echo: requests may exhaust the pool, more so while nothing is cached.
 */
export async function listenOnServer(
  connection: pg.ClientConfig,
  channel: Channel,
  { onMessage, onLost, onHearing, check }: MessageListener,
): Promise<Listening> {
  let aliveAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  const { signal } = stopping;
  const tell = onChange((error: Error | null) => {
    if (!signal.aborted) onHearing?.(error);
  });

  const listenUntilLost = async (onListening: () => void) => {
    let isListening = false;
    try {
      await hold(connection, channel, signal, {
        onMessage,
        check,
        onAlive(at) {
          aliveAt = at;
          if (isListening) return;
          isListening = true;
          tell(null);
          onListening();
        },
      });
    } catch (error) {
      // A connection that worked is replaced at once, which is not worth a report.
      if (!isListening) tell(error as Error);
    } finally {
      aliveAt = Number.NEGATIVE_INFINITY;
      onLost();
    }
  };

  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    running = (async () => {
      while (!signal.aborted) {
        await listenUntilLost(resolve);
        resolve();
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    })();
  });
  return {
    isHearing: () => performance.now() - aliveAt < LEASE_MS,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

interface Holder {
  onMessage(message: string): void;
  readonly check: MessageListener["check"] | undefined;
  /** Called with the send time of each request that the connection has answered: first the echo. */
  onAlive(at: number): void;
}

/** Opens a connection and listens over it until it fails or `signal` aborts; rejects then. */
async function hold(
  connection: pg.ClientConfig,
  { channel, echoOver }: Channel,
  signal: AbortSignal,
  { onMessage, onAlive, check }: Holder,
): Promise<void> {
  const client = createClient(connection);
  const pause = (ms: number) => delay(ms, undefined, { signal });
  const failure = new Promise<never>((_resolve, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended")));
  });
  const echo = `${ECHO}${randomUUID()}`;
  const echoed = new Promise<void>((resolve) => {
    client.on("notification", ({ payload = "" }) => {
      if (payload === echo) resolve();
      else if (!payload.startsWith(ECHO)) onMessage(payload);
    });
  });
  let isOver = false;
  const prove = async (proof: () => Promise<unknown>) => {
    const asked = performance.now();
    await proof();
    // The connection may have ended in the meantime.
    if (!isOver) onAlive(asked);
  };
  const query: Query = async (text, values) =>
    (await client.query({ name: "check", text, values: [...values] })).rows;
  const listen = async () => {
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    await prove(async () => {
      await notify(echoOver, channel, echo);
      await Promise.race([echoed, pause(ANSWER_MS).then(() => Promise.reject(new Error(UNHEARD)))]);
      await check?.(query);
    });
    for (let beat = 1; !isOver; beat += 1) {
      await pause(HEARTBEAT_MS);
      await prove(async () => (check && beat % CHECK_EVERY === 0 ? check(query) : client.query("SELECT 1")));
    }
  };
  try {
    await Promise.race([listen(), failure]);
  } finally {
    isOver = true;
    client.end().catch(() => undefined);
    // A server that hangs does not close its end, and must not keep the process alive.
    (client as pg.Client & { unref(): void }).unref();
  }
}

async function notify(connection: pg.ClientConfig, channel: string, message: string): Promise<void> {
  const client = createClient(connection);
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT pg_notify($1, $2)", [channel, message]);
  } finally {
    client.end().catch(() => undefined);
  }
}

const createClient = (connection: pg.ClientConfig) =>
  new pg.Client({ ...connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });

/** Creates a function that passes on the first error after a success, and the first success (null) after an error. */
function onChange(tell: (error: Error | null) => void): (error: Error | null) => void {
  let hasFailed = false;
  return (error) => {
    if (hasFailed === (error !== null)) return;
    hasFailed = error !== null;
    tell(error);
  };
}
