import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Query } from "../types.js";

/** Longest time for a connection, and for each answer over it. */
export const ANSWER_MS = 1_000;

export const createClient = (connection: pg.ClientConfig): pg.Client =>
  new pg.Client({ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS, ...connection });

/** A connection that its holder uses until it is lost. */
export interface Held {
  readonly client: pg.Client;
  readonly query: Query;
  /** Rejects if the holder stops. */
  pause(ms: number): Promise<void>;
  /** Runs `beat` repeatedly until it fails. Calls `onAnswer` with the time at which an answered beat began. */
  repeat(beat: () => Promise<unknown>, everyMs: number, onAnswer?: (asked: number) => void): Promise<never>;
}

/**
 * Opens a connection and uses it until it fails, `use` ends or `signal` aborts. Prepares statements under the name of
 * `nameStatement`.
 */
export async function holdConnection(
  connection: pg.ClientConfig,
  signal: AbortSignal,
  nameStatement: (text: string) => string | undefined,
  use: (held: Held) => Promise<void>,
): Promise<void> {
  const client = createClient(connection);
  const failure = new Promise<never>((_resolve, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended")));
  });
  let isOver = false;
  const pause = (ms: number) => delay(ms, undefined, { signal });
  const held: Held = {
    client,
    query: async (text, values) =>
      (await client.query({ name: nameStatement(text), text, values: [...values] })).rows,
    pause,
    async repeat(beat, everyMs, onAnswer) {
      for (;;) {
        const asked = performance.now();
        await beat();
        // The connection may have ended since the answer.
        if (isOver) throw new Error("the connection ended");
        onAnswer?.(asked);
        await pause(everyMs);
      }
    },
  };
  const connectAndUse = async () => {
    await client.connect();
    await use(held);
  };
  try {
    await Promise.race([connectAndUse(), failure]);
  } finally {
    isOver = true;
    client.end().catch(() => undefined);
    // A server that hangs does not close its end, and must not keep the process alive.
    (client as pg.Client & { unref(): void }).unref();
  }
}

/** Calls `attempt` again whenever it ends, after a pause, until `signal` aborts. */
export async function keepTrying(
  attempt: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await attempt();
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
