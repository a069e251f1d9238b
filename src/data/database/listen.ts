import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Listening, MessageListener } from "./types.js";

const HEARTBEAT_MS = 200;
/** So long after a heartbeat that was answered the connection counts as alive. */
const LEASE_MS = 800;
const ANSWER_MS = 1_000;
const RETRY_MS = 200;
const UNHEARD =
  "what NOTIFY sends is not heard: where DATABASE_URL leads to a pooler of transactions, DATABASE_DIRECT_URL has to lead to PostgreSQL itself";

/** Messages of listeners to themselves. */
const ECHO = "echo ";

/**
 * Hears the messages of a channel over a connection of its own, which is replaced whenever it is lost. Heartbeats find
 * out where it is lost without a word: the answer to one also tells that every message sent before has arrived. Behind
 * a pooler of transactions LISTEN succeeds and nothing arrives; so a new connection has to hear an echo first of what is
 * sent over another, as `echoOver` says: one for that moment, since requests that wait for the pool are the more the less
 * is remembered.
 */
export async function listenOnServer(
  options: pg.ClientConfig,
  { channel, echoOver }: { channel: string; echoOver: pg.ClientConfig },
  { onMessage, onLost, onHearing }: MessageListener,
): Promise<Listening> {
  let aliveAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal });

  const createClient = (connection: pg.ClientConfig) =>
    new pg.Client({ ...connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  const notify = async (message: string) => {
    const client = createClient(echoOver);
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("SELECT pg_notify($1, $2)", [channel, message]);
    } finally {
      client.end().catch(() => undefined);
    }
  };

  const hear = async (onListening: () => void) => {
    const client = createClient(options);
    let isOver = false;
    let failed: (error: Error) => void = () => undefined;
    const failure = new Promise<never>((_resolve, reject) => {
      failed = reject;
    });
    client.on("error", failed);
    client.on("end", () => failed(new Error("the connection ended")));
    const echo = `${ECHO}${randomUUID()}`;
    const echoed = new Promise<void>((resolve) => {
      client.on("notification", ({ payload = "" }) => {
        if (payload === echo) resolve();
        else if (!payload.startsWith(ECHO)) onMessage(payload);
      });
    });
    const ask = async (statement: string) => {
      const asked = performance.now();
      await client.query(statement);
      aliveAt = asked;
    };
    const listen = async () => {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      const sent = performance.now();
      await notify(echo);
      await Promise.race([echoed, pause(ANSWER_MS).then(() => Promise.reject(new Error(UNHEARD)))]);
      // The connection may have ended since the echo came over it.
      if (isOver) return;
      aliveAt = sent;
      onListening();
      for (;;) {
        await pause(HEARTBEAT_MS);
        await ask("SELECT 1");
      }
    };
    try {
      await Promise.race([listen(), failure]);
    } finally {
      isOver = true;
      aliveAt = Number.NEGATIVE_INFINITY;
      onLost();
      client.end().catch(() => undefined);
      // A server that hangs does not close its end, and must not keep the process alive.
      (client as pg.Client & { unref(): void }).unref();
    }
  };

  let isSilent = false;
  const tell = (error: Error | null) => {
    if (isSilent === (error !== null) || stopping.signal.aborted) return;
    isSilent = error !== null;
    onHearing?.(error);
  };
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    running = (async () => {
      while (!stopping.signal.aborted) {
        let hasHeard = false;
        const onListening = () => {
          hasHeard = true;
          tell(null);
          resolve();
        };
        // A connection that is replaced at once is nobody's concern.
        await hear(onListening).catch((error: Error) => (hasHeard ? undefined : tell(error)));
        resolve();
        await pause(RETRY_MS).catch(() => undefined);
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
