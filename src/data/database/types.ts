import type { PrismaClient } from "../../generated/prisma/client.js";
import type { Queued } from "./fair-queue.js";
import type { WriteQueues } from "./write-queues.js";

/** A connection in a transaction. */
export interface SqlSession {
  /** Runs one or more statements without parameters. */
  script(sql: string): Promise<void>;
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Runs one writing statement; returns the number of rows it wrote. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<number>;
  /** Streams lines in COPY's text format to `target`, which has the form `table (column, …)`. */
  copy(target: string, lines: AsyncIterable<string | Buffer>): Promise<void>;
}

/** Runs a statement on one connection. */
export type Query = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/** Receiver of a channel's messages. */
export interface MessageListener {
  onMessage(message: string): void;
  /** Called when messages may have been missed. */
  onLost(): void;
  /** Called with the reason when messages stop arriving, and with null when they arrive again. */
  onListeningChange?(error: Error | null): void;
  /**
   * Looks for messages that were never sent, several times a second. Runs on the listening connection: once before the
   * listener relies on it, and then with each heartbeat. Runs on a replica while the primary does not answer. If it
   * fails, the connection counts as lost. The embedded database never calls it, because it sends every message.
   */
  check?(query: Query, server: "primary" | "replica"): Promise<void>;
}

export interface Listening {
  /** Returns true if every message arrives within milliseconds. */
  isListening(): boolean;
  stop(): Promise<void>;
}

/** A read-only transaction whose statements all see the same state of the database. */
export interface Snapshot {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Reads the rows of one SELECT through a cursor in batches, as arrays. All columns must be text. */
  stream(sql: string, parameters: readonly unknown[]): AsyncGenerator<readonly (string | null)[][]>;
  /** Ends the transaction. Later statements fail. */
  close(): Promise<void>;
}

/** A server that can answer reads of an organization's data. */
export interface ReadServer {
  readonly select: Database["select"];
  /**
   * Returns true if the server has every change to the organization's data that this process knows of, and to data
   * without an organization. With null, considers only the latter.
   */
  isFresh(organizationId: string | null): boolean;
}

export interface ReplicaState {
  /** Host and port. */
  readonly name: string;
  /** Reason why it is not serving; null while it is. */
  readonly reason: string | null;
  /** Lag behind the primary, in milliseconds. */
  readonly lagMs: number;
  /** Number of reads sent to it. */
  readonly reads: number;
}

/** Streaming replicas of the server. */
export interface Replicas {
  /** Returns a replica that is fresh for an organization; undefined if none is. */
  choose(organizationId: string): ReadServer | undefined;
  /** Returns a serving replica, fresh or not; undefined if none serves, or while the primary answers. */
  standIn(): ReadServer | undefined;
  /**
   * Notes a change; null means all organizations. `position` is the position of its commit in the write-ahead log. If
   * that is unknown, the primary answers all of their reads until it has reported its own position.
   */
  changed(change: { readonly organizationId: string | null }, position?: number): void;
  /** Notes that changes may have been missed. */
  lost(): void;
  /** Starts reading the primary's position in its write-ahead log. The returned function accepts the position. */
  sample(): (position: number) => void;
  states(): readonly ReplicaState[];
}

export interface TransactionOptions {
  /** True if its statements may exceed the statement timeout. */
  readonly mayTakeLong?: boolean;
  /** True for a transaction that changes nothing. It uses one of two connections outside the pool of other requests. */
  readonly isCheck?: boolean;
}

/** PostgreSQL, on a server or embedded. Code outside this folder does not know which. */
export interface Database {
  readonly prisma: PrismaClient;
  /** Total time in milliseconds that a request may wait for the database. */
  readonly timeLimitMs: number;
  /**
   * Runs one SELECT, prepared once per connection unless pooled. It takes 40 to 55 µs of CPU in this process; Prisma's
   * raw query takes 200 to 280. Returns 64-bit integers and floats as numbers, `timestamptz` as Date and `numeric` as
   * text. Retries a few times within half a second if it loses its connection or gets none. A tenant's `queued`
   * statements use at most half of the connections at a time.
   */
  select<Row>(text: string, values: readonly unknown[], queued?: Queued): Promise<Row[]>;
  /** Listens to a channel's NOTIFY messages. Resolves after the first attempt, and reconnects until stopped. */
  listen(channel: string, listener: MessageListener): Promise<Listening>;
  /** Replicas that answer reads; undefined without any. */
  readonly replicas?: Replicas | undefined;
  /** Queues of writing transactions, for `write`. */
  readonly writeQueues: WriteQueues;
  /**
   * Runs `work` in one transaction, which commits if it resolves and rolls back if it throws. Resolves once its changes
   * are announced. To write data, use `write`.
   */
  transaction<T>(work: (sql: SqlSession) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Opens a snapshot on a connection outside the pool, so that a slow client does not take a connection from requests.
   * Its statements have no time limit. The embedded database has a single connection, so nothing else can run until the
   * snapshot is closed.
   */
  openSnapshot(): Promise<Snapshot>;
  /** Returns the state of the connection pool; null if the database is embedded. */
  connections(): { used: number; idle: number; max: number; waiting: number } | null;
  /** Reports a failure that does not make a call fail. */
  warn(error: unknown, message: string): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** PostgreSQL URL; without one, opens the embedded database in `dataDir`. */
  readonly url: string | undefined;
  /**
   * URL of the same server, bypassing the transaction pooler at `url`. If set, nothing relies on sessions of `url`:
   * messages arrive over this URL, statements are not prepared, and the server gets no statement timeout.
   */
  readonly directUrl?: string | undefined;
  /** URLs of streaming replicas of the server at `url`, behind a pooler if `directUrl` is set. */
  readonly replicaUrls?: readonly string[] | undefined;
  /** Lag in milliseconds beyond which a replica does not answer reads. */
  readonly replicaMaxLagMs?: number | undefined;
  /** Called with the reason when a replica stops answering reads, and with null when it resumes. */
  readonly onReplicaChange?: ((name: string, reason: string | null) => void) | undefined;
  /** Folder of the embedded database, which one process at a time can use. */
  readonly dataDir: string;
  /** False to refuse to create a missing embedded database (default: true). */
  readonly mayCreate?: boolean;
  /** Data folder with an embedded database to copy; ignored if missing. */
  readonly prepared?: string;
  /** Called after creating an embedded database. */
  readonly onCreated?: () => void;
  /** Statement timeout on a server in milliseconds; 0 for none. */
  readonly statementTimeoutMs: number;
  /** Called with errors outside any call, such as the loss of an idle connection. */
  readonly onError: (error: Error) => void;
  readonly warn?: Database["warn"];
  /**
   * Called with the reason when an embedded database cannot continue. Either another process has taken over the folder,
   * which is possible if this one was suspended for 20 seconds, or PostgreSQL has aborted, as on a full disk. The
   * callback must end the process.
   */
  readonly onLost: (error: Error) => void;
}
