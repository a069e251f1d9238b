import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Listening, MessageListener, Query } from "../types.js";
import {
  ANSWER_MS,
  createClient,
  type HeldConnection,
  holdConnection,
  keepTrying,
} from "./held-connection.js";
import type { NameStatement } from "./pool.js";
import type { ServerReplicas } from "./replicas.js";

const HEARTBEAT_MS = 200;
/** Interval of checks through a pooler, which delivers no messages. */
const POLL_MS = 50;
/** Number of such checks after which to try the direct connection again. */
const RETRY_DIRECT_EVERY = 200;
/** Time from the start of an answered heartbeat for which all changes are assumed to have arrived. */
const LEASE_MS = 800;
const RETRY_MS = 200;
const NO_ECHO =
  "NOTIFY messages do not arrive: if DATABASE_URL points to a transaction pooler, set DATABASE_DIRECT_URL to PostgreSQL itself";

/** Prefix of the messages that a listener sends to itself. */
const ECHO = "echo ";

interface Channel {
  readonly channel: string;
  /** Connection settings of requests, with which a listener also sends its echo. */
  readonly shared: pg.ClientConfig;
  /** True if `shared` uses a transaction pooler. A listener that cannot connect directly then checks through it. */
  readonly isPooled: boolean;
  readonly nameStatement: NameStatement;
  readonly replicas: ServerReplicas | undefined;
}

/**
 * Listens to a channel over its own connection, and replaces the connection when it is lost. Heartbeats detect a silent
 * loss; the answer to one also proves that every earlier message has arrived.
 *
 * Behind a transaction pooler, LISTEN succeeds but no message arrives, so a new connection must first receive an echo.
 * A separate short connection sends the echo, because requests may exhaust the pool, especially while nothing is
 * cached.
 *
 * A listener with a `check` works without messages: without a direct connection, it checks through the pooler; without
 * a primary, on a replica.
 */
export async function listenOnServer(
  direct: pg.ClientConfig,
  { channel, shared, isPooled, nameStatement, replicas }: Channel,
  { onMessage, onLost, onListeningChange, check }: MessageListener,
): Promise<Listening> {
  let aliveAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  const { signal } = stopping;
  const report = onChange((error: Error | null) => {
    if (!signal.aborted) onListeningChange?.(error);
  });
  const isListening = () => performance.now() - aliveAt < LEASE_MS;
  const lose = () => {
    aliveAt = Number.NEGATIVE_INFINITY;
    onLost();
  };
  const following =
    check &&
    replicas?.start(async (query) => {
      // After a gap, only the next connection to the primary finds the changes that were missed.
      if (!isListening()) return;
      const startedAt = performance.now();
      await check(query, "replica");
      aliveAt = Math.max(aliveAt, startedAt);
    });
  const beat = (query: Query) => (check ? check(query, "primary") : query("SELECT 1", []));

  type Receive = (
    held: HeldConnection,
    onConnected: () => void,
    onAnswer: (startedAt: number) => void,
  ) => Promise<void>;
  const listen: Receive = async ({ client, query, pause, repeat }, onConnected, onAnswer) => {
    const echo = `${ECHO}${randomUUID()}`;
    const echoed = new Promise<void>((resolve) => {
      client.on("notification", ({ payload = "" }) => {
        if (payload === echo) resolve();
        else if (!payload.startsWith(ECHO)) onMessage(payload);
      });
    });
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    await notify(shared, channel, echo);
    await Promise.race([echoed, pause(ANSWER_MS).then(() => Promise.reject(new Error(NO_ECHO)))]);
    onConnected();
    await repeat(() => beat(query), HEARTBEAT_MS, onAnswer);
  };
  const poll: Receive = async ({ query, repeat }, onConnected, onAnswer) => {
    let beats = 0;
    onConnected();
    const pollOnce = async () => {
      beats += 1;
      if (beats % RETRY_DIRECT_EVERY === 0 && (await isReachable(direct)))
        throw new Error("PostgreSQL is reachable again");
      await beat(query);
    };
    await repeat(pollOnce, POLL_MS, onAnswer);
  };

  const receiveUntilLost = async (onFirstAnswer: () => void) => {
    let isAlive = false;
    const receive = (connection: pg.ClientConfig, how: Receive) =>
      holdConnection(connection, signal, how === poll ? () => undefined : nameStatement, async (held) => {
        // Takes over from a replica that may have been followed. From the first answer on, nothing is missed.
        const onConnected = () => following && lose();
        await how(held, onConnected, (startedAt) => {
          aliveAt = startedAt;
          following?.primaryAnswered();
          if (isAlive) return;
          isAlive = true;
          report(null);
          onFirstAnswer();
        });
      });
    try {
      await receive(direct, listen).catch(async (error) => {
        if (isAlive || !isPooled || !check) throw error;
        await receive(shared, poll);
      });
    } catch (error) {
      // Losing a connection that worked is not worth a report, since it is replaced at once.
      if (!isAlive && !(following && isListening())) report(error as Error);
    } finally {
      if (!(following && isListening())) lose();
    }
  };

  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    const attempt = async () => {
      await receiveUntilLost(resolve);
      resolve();
    };
    running = keepTrying(attempt, RETRY_MS, signal);
  });
  return {
    isListening,
    async stop() {
      stopping.abort();
      await Promise.all([running, following?.stop()]);
    },
  };
}

async function notify(connection: pg.ClientConfig, channel: string, message: string): Promise<void> {
  await withConnection(connection, (client) => client.query("SELECT pg_notify($1, $2)", [channel, message]));
}

const isReachable = (connection: pg.ClientConfig): Promise<boolean> =>
  withConnection(connection, async () => undefined).then(
    () => true,
    () => false,
  );

async function withConnection(
  connection: pg.ClientConfig,
  use: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = createClient(connection);
  client.on("error", () => undefined);
  try {
    await client.connect();
    await use(client);
  } finally {
    client.end().catch(() => undefined);
  }
}

/**
 * Creates a function that reports only the first error after a success, and the first success (null) after an error.
 */
function onChange(report: (error: Error | null) => void): (error: Error | null) => void {
  let hasFailed = false;
  return (error) => {
    if (hasFailed === (error !== null)) return;
    hasFailed = error !== null;
    report(error);
  };
}
