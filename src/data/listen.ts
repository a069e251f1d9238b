import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Listening, MessageListener } from "./database.js";

const HEARTBEAT_MS = 200;
/** So long after a heartbeat that was answered the connection counts as alive. */
const LEASE_MS = 800;
const ANSWER_MS = 1_000;
const RETRY_MS = 200;

/**
 * Hears the messages of a channel over a connection of its own, which is replaced whenever it is lost. Heartbeats find
 * out where it is lost without a word: the answer to one also tells that every message sent before has arrived.
 */
export async function listenOnServer(
  options: pg.ClientConfig,
  channel: string,
  { onMessage, onLost }: MessageListener,
): Promise<Listening> {
  let aliveAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal });

  const hear = async (onListening: () => void) => {
    const client = new pg.Client({
      ...options,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    let failed: (error: Error) => void = () => undefined;
    const failure = new Promise<never>((_resolve, reject) => {
      failed = reject;
    });
    client.on("error", failed);
    client.on("end", () => failed(new Error("the connection ended")));
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    const ask = async (statement: string) => {
      const asked = performance.now();
      await client.query(statement);
      aliveAt = asked;
    };
    const listen = async () => {
      await client.connect();
      await ask(`LISTEN ${client.escapeIdentifier(channel)}`);
      onListening();
      for (;;) {
        await pause(HEARTBEAT_MS);
        await ask("SELECT 1");
      }
    };
    try {
      await Promise.race([listen(), failure]);
    } finally {
      aliveAt = Number.NEGATIVE_INFINITY;
      onLost();
      client.end().catch(() => undefined);
      // A server that hangs does not close its end, and must not keep the process alive.
      (client as pg.Client & { unref(): void }).unref();
    }
  };

  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    running = (async () => {
      while (!stopping.signal.aborted) {
        await hear(resolve).catch(() => undefined);
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
