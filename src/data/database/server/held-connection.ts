import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Query } from "../types.js";

/** Time limit for connecting, and for each answer. */
export const ANSWER_MS = 1_000;

export const createClient = (connection: pg.ClientConfig): pg.Client =>
  new pg.Client({ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS, ...connection });

/** A connection that is used until it is lost. */
export interface HeldConnection {
  readonly client: pg.Client;
  readonly query: Query;
  /** Waits. Rejects if the signal aborts. */
  pause(ms: number): Promise<void>;
  /** Runs `beat` repeatedly until it fails. After each run, calls `onAnswer` with its start time. */
  repeat(
    beat: () => Promise<unknown>,
    everyMs: number,
    onAnswer?: (startedAt: number) => void,
  ): Promise<never>;
}

/**
 * Opens a connection, and uses it until it fails, `use` ends or `signal` aborts. `nameStatement` names prepared
 * statements.
 */
export async function holdConnection(
  connection: pg.ClientConfig,
  signal: AbortSignal,
  nameStatement: (text: string) => string | undefined,
  use: (held: HeldConnection) => Promise<void>,
): Promise<void> {
  const client = createClient(connection);
  const failure = new Promise<never>((_resolve, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection was closed")));
  });
  let isOver = false;
  const pause = (ms: number) => delay(ms, undefined, { signal });
  const held: HeldConnection = {
    client,
    query: async (text, values) =>
      (await client.query({ name: nameStatement(text), text, values: [...values] })).rows,
    pause,
    async repeat(beat, everyMs, onAnswer) {
      for (;;) {
        const startedAt = performance.now();
        await beat();
        // The connection may have ended since the answer.
        if (isOver) throw new Error("the connection was closed");
        onAnswer?.(startedAt);
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
    // A hanging server does not close its end, and must not keep the process alive.
    (client as pg.Client & { unref(): void }).unref();
  }
}

/** Repeats `attempt`, with a pause in between, until `signal` aborts. */
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
