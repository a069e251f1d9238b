import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { AppError } from "../../../errors.js";
import { CHANGES_CHANNEL } from "../../cache/changes.js";
import { createFairQueue, type FairQueueOptions, type Queued } from "../fair-queue.js";
import { BEGIN_SNAPSHOT, createStream } from "../snapshot.js";
import type { Database, DatabaseOptions, Snapshot, SqlSession, TransactionOptions } from "../types.js";
import { isConnectionLost, isUnusable } from "../unavailable.js";
import { COLUMN_TYPES } from "./column-types.js";

/** Maximum number of connections in a pool. */
export const MAX_CONNECTIONS = 10;

/** Time limit for connecting. */
const CONNECT_MS = 2_000;

export interface PoolOptions extends Pick<DatabaseOptions, "statementTimeoutMs" | "onError"> {
  /** True if the server is behind a transaction pooler, which refuses some settings. */
  readonly isPooled: boolean;
  /** Maximum number of connections; 10 if omitted. */
  readonly max?: number | undefined;
}

/** Creates a connection pool, which connects on first use and reconnects after a failure. */
export function createPool(
  connection: pg.ClientConfig,
  { isPooled, statementTimeoutMs, onError, max = MAX_CONNECTIONS }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    // A hanging server does not close its connections, and must not keep a stopping process alive.
    allowExitOnIdle: true,
    ...(!isPooled && {
      // These override the settings of the database and the role. (A URL with its own options must repeat them.)
      // Compiling a statement takes a tenth of a second, which none of ours gains.
      options: "-c DateStyle=ISO -c extra_float_digits=1 -c jit=off",
      statement_timeout: statementTimeoutMs || false,
    }),
    // For a hanging server, which does not end the statement itself.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + 500 }),
  });
  pool.on("error", onError);
  return pool;
}

/** Returns the name under which to prepare a statement; undefined if it must not be prepared. */
export type NameStatement = (text: string) => string | undefined;

/** Runs something that changes nothing until it succeeds, or for long enough. */
export type Retry = <T>(run: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that runs SELECTs on a pool, in a fair queue if they have an owner. `attempt` runs a statement
 * when its turn comes.
 */
export function createSelect(
  pool: pg.Pool,
  nameStatement: NameStatement,
  queue: FairQueueOptions,
  attempt: Retry = (run) => run(),
): Database["select"] {
  const enqueue = createFairQueue(queue);
  return async <Row>(text: string, values: readonly unknown[], queued?: Queued) => {
    const query = { name: nameStatement(text), text, values: [...values], types: COLUMN_TYPES };
    const run = () => attempt(() => pool.query(query));
    return (await (queued ? enqueue(queued, run) : run())).rows as Row[];
  };
}

/** Begins a transaction that announces its changes after its COMMIT. */
const BEGIN = "BEGIN;\nSET LOCAL gateway.announced = 'after';\n";

/**
 * Commits, then announces the changes that triggers gathered, in one round trip. The announcement is separate because
 * transactions that notify commit one at a time, each with its own flush. If only the announcement fails, the caller
 * cannot know the result of the write, as after a lost connection. Returns the changes' organizations. The last word of
 * a message is the position in the write-ahead log from which a replica has the change.
 */
const COMMIT = `COMMIT;
WITH committed AS MATERIALIZED (
  SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn() - '0/0' END AS position)
SELECT split_part(message, ' ', 2) AS owner, position::float8,
  pg_notify('${CHANGES_CHANNEL}', concat_ws(' ', message, position))::text
FROM committed, unnest(string_to_array(current_setting('gateway.changes', true), E'\\n')) AS message WHERE message <> '';
RESET gateway.changes`;

/** Creates the error for a COMMIT without an answer, which may have succeeded. */
const unconfirmed = (cause: unknown) =>
  new AppError(
    "INTERNAL_ERROR",
    "The database did not confirm the change, which may or may not have been made. Send it again with the same reference or Idempotency-Key; it will not be made twice. Without either, check the data first.",
    { headers: { "Retry-After": "2" }, cause },
  );

/** Dependencies of a pool's transactions. */
export interface TransactionContext extends Pick<PoolOptions, "onError"> {
  readonly nameStatement: NameStatement;
  /** Waits for a server that restarts. Nothing has been sent yet. */
  readonly retryConnect: Retry;
  /** Called with the changes of a committed transaction, before it resolves. */
  readonly onCommitted: (changes: readonly CommittedChange[]) => void;
}

/** A committed change of an organization's rows. The owner is `*` for rows without an organization. */
export interface CommittedChange {
  readonly owner: string;
  readonly position: number;
}

/**
 * Runs `work` in a transaction, which commits if it resolves and rolls back if it throws. Resolves once the changes are
 * announced.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  { onError, nameStatement, retryConnect, onCommitted }: TransactionContext,
  work: (sql: SqlSession) => Promise<T>,
  { mayTakeLong = false }: TransactionOptions = {},
): Promise<T> {
  const limit = mayTakeLong ? { query_timeout: MAX_MS } : {};
  const client = await retryConnect(() => pool.connect());
  // Without a listener, losing the connection between two statements would end the process.
  client.on("error", onError);
  let isBroken = false;
  let isCommitting = false;
  try {
    const result = await work(sessionOf(client, nameStatement, limit));
    isCommitting = true;
    // Deferred triggers run now, which can be slow after many rows. PostgreSQL then waits for a synchronous standby,
    // which its statement timeout does not end.
    const results = (await client.query({
      text: COMMIT,
      ...limit,
    })) as unknown as pg.QueryResult<CommittedChange>[];
    onCommitted(results.flatMap(({ rows }) => rows));
    return result;
  } catch (error) {
    // A hanging server would not answer a ROLLBACK either. Closing the connection has the same effect.
    isBroken = isUnusable(error);
    if (!isBroken) {
      await client.query("ROLLBACK").catch(() => {
        isBroken = true;
      });
    }
    throw isCommitting && (isUnusable(error) || isConnectionLost(error)) ? unconfirmed(error) : error;
  } finally {
    client.off("error", onError).release(isBroken);
  }
}

/** Opens a snapshot on its own connection, and closes the connection with it. */
export async function openSnapshot(
  connection: pg.ClientConfig,
  onError: (error: Error) => void,
): Promise<Snapshot> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_MS });
  client.on("error", onError);
  await client.connect();
  const close = async () => {
    // Without a COMMIT, the server would release the locks only a moment after the connection closes.
    const commit = { text: "COMMIT", query_timeout: CONNECT_MS };
    await client.query(commit).catch(() => undefined);
    await client.end();
  };
  try {
    await client.query(`BEGIN;\n${BEGIN_SNAPSHOT}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query({ text, values: [...values], types: COLUMN_TYPES })).rows as Row[],
    stream: createStream(
      async (text, values) =>
        (await client.query<(string | null)[]>({ text, values: [...values], rowMode: "array" })).rows,
    ),
    close,
  };
}

/** Maximum delay of a timer: 24 days. */
const MAX_MS = 2 ** 31 - 1;

function sessionOf(
  client: pg.PoolClient,
  nameStatement: NameStatement,
  limit: { readonly query_timeout?: number },
): SqlSession {
  const settings = limit.query_timeout === undefined ? "" : "SET LOCAL statement_timeout = 0;\n";
  let hasBegun = false;
  /**
   * Begins the transaction before its first statement. If that is a script, sends both together to save a round trip.
   */
  const begin = async (script = "") => {
    if (hasBegun && script === "") return;
    const text = hasBegun ? script : BEGIN + settings + script;
    hasBegun = true;
    await client.query({ text, ...limit });
  };
  const run = async (text: string, parameters: readonly unknown[]) => {
    await begin();
    return client.query({ name: nameStatement(text), text, values: [...parameters], ...limit });
  };
  return {
    script: begin,
    async query<Row>(sql: string, parameters: readonly unknown[] = []) {
      return (await run(sql, parameters)).rows as Row[];
    },
    async execute(sql, parameters = []) {
      return (await run(sql, parameters)).rowCount ?? 0;
    },
    async copy(target, lines) {
      await begin();
      const copy = Object.assign(copyFrom(`COPY ${target} FROM STDIN`), limit);
      client.query(copy);
      // Fails at once instead of waiting for lines that may come much later.
      const failed = new Promise<never>((_resolve, reject) => copy.once("error", reject));
      // Buffers one chunk at a time, since chunks are large.
      await Promise.race([pipeline(Readable.from(lines, { highWaterMark: 1 }), copy), failed]);
    },
  };
}
