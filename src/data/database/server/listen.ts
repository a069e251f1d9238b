import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Listening, MessageListener, Query } from "../types.js";
import { ANSWER_MS, createClient, type Held, holdConnection, keepTrying } from "./held-connection.js";
import type { NameStatement } from "./pool.js";
import type { ServerReplicas } from "./replicas.js";

const HEARTBEAT_MS = 200;
/** Interval of the checks through a pooler, over which no message arrives. */
const POLL_MS = 50;
/** Number of such checks after which the direct connection is tried again. */
const RETRY_DIRECT_EVERY = 200;
/** Time for which changes count as received after the request for a heartbeat that was answered. */
const LEASE_MS = 800;
const RETRY_MS = 200;
const UNHEARD =
  "NOTIFY messages do not arrive: if DATABASE_URL points to a transaction pooler, DATABASE_DIRECT_URL must point to PostgreSQL itself";

/** Prefix of the messages that a listener sends to itself. */
const ECHO = "echo ";

interface Channel {
  readonly channel: string;
  /** The connection of requests, over which a listener also sends its echo. */
  readonly shared: pg.ClientConfig;
  /** True if `shared` leads through a transaction pooler. A listener that cannot connect directly then checks over it. */
  readonly isPooled: boolean;
  readonly nameStatement: NameStatement;
  readonly replicas: ServerReplicas | undefined;
}

/**
 * Listens to a channel over its own connection, which is replaced whenever it is lost. Heartbeats detect a connection
 * that is lost silently; the answer to one also proves that every earlier message has arrived. Behind a transaction
 * pooler LISTEN succeeds but nothing arrives, so a new connection first has to receive an echo. A separate short
 * connection sends the echo: requests may exhaust the pool, more so while nothing is cached. A listener with a `check`
 * needs no messages: without a direct connection it checks through the pooler, and without a primary on a replica.
 */
export async function listenOnServer(
  direct: pg.ClientConfig,
  { channel, shared, isPooled, nameStatement, replicas }: Channel,
  { onMessage, onLost, onHearing, check }: MessageListener,
): Promise<Listening> {
  let aliveAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  const { signal } = stopping;
  const report = onChange((error: Error | null) => {
    if (!signal.aborted) onHearing?.(error);
  });
  const isHearing = () => performance.now() - aliveAt < LEASE_MS;
  const lose = () => {
    aliveAt = Number.NEGATIVE_INFINITY;
    onLost();
  };
  const following =
    check &&
    replicas?.start(async (query) => {
      // After a gap, changes of that time are found only by the primary's next connection.
      if (!isHearing()) return;
      const asked = performance.now();
      await check(query, "replica");
      aliveAt = Math.max(aliveAt, asked);
    });
  const beat = (query: Query) => (check ? check(query, "primary") : query("SELECT 1", []));

  type Hear = (held: Held, onConnected: () => void, onAnswer: (asked: number) => void) => Promise<void>;
  const listen: Hear = async ({ client, query, pause, repeat }, onConnected, onAnswer) => {
    const echo = `${ECHO}${randomUUID()}`;
    const echoed = new Promise<void>((resolve) => {
      client.on("notification", ({ payload = "" }) => {
        if (payload === echo) resolve();
        else if (!payload.startsWith(ECHO)) onMessage(payload);
      });
    });
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    await notify(shared, channel, echo);
    await Promise.race([echoed, pause(ANSWER_MS).then(() => Promise.reject(new Error(UNHEARD)))]);
    onConnected();
    await repeat(() => beat(query), HEARTBEAT_MS, onAnswer);
  };
  const poll: Hear = async ({ query, repeat }, onConnected, onAnswer) => {
    let beats = 0;
    onConnected();
    const pollOnce = async () => {
      beats += 1;
      if (beats % RETRY_DIRECT_EVERY === 0 && (await isReachable(direct)))
        throw new Error("PostgreSQL can be reached");
      await beat(query);
    };
    await repeat(pollOnce, POLL_MS, onAnswer);
  };

  const hearUntilLost = async (onFirstAnswer: () => void) => {
    let isAlive = false;
    const hear = (connection: pg.ClientConfig, how: Hear) =>
      holdConnection(connection, signal, how === poll ? () => undefined : nameStatement, async (held) => {
        // A replica may have been followed until now. Nothing is missed from the first answer on.
        const onConnected = () => following && lose();
        await how(held, onConnected, (asked) => {
          aliveAt = asked;
          following?.primaryAnswered();
          if (isAlive) return;
          isAlive = true;
          report(null);
          onFirstAnswer();
        });
      });
    try {
      await hear(direct, listen).catch(async (error) => {
        if (isAlive || !isPooled || !check) throw error;
        await hear(shared, poll);
      });
    } catch (error) {
      // A connection that worked is replaced at once, which is not worth a report.
      if (!isAlive && !(following && isHearing())) report(error as Error);
    } finally {
      if (!(following && isHearing())) lose();
    }
  };

  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    const attempt = async () => {
      await hearUntilLost(resolve);
      resolve();
    };
    running = keepTrying(attempt, RETRY_MS, signal);
  });
  return {
    isHearing,
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

/** Creates a function that passes on the first error after a success, and the first success (null) after an error. */
function onChange(report: (error: Error | null) => void): (error: Error | null) => void {
  let hasFailed = false;
  return (error) => {
    if (hasFailed === (error !== null)) return;
    hasFailed = error !== null;
    report(error);
  };
}
