import type { PrismaClient } from "../../generated/prisma/client.js";
import type { Queued } from "./places.js";
import type { WritePlaces } from "./write-places.js";

/** A connection in a transaction. */
export interface SqlSession {
  /** Runs one or more statements without parameters. */
  script(sql: string): Promise<void>;
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Runs one writing statement; returns the number of rows it wrote. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<number>;
  /** Streams lines in COPY's text format to `target`, which has the form `table (column, …)`. */
  copy(target: string, lines: AsyncIterable<string>): Promise<void>;
}

/** Runs a statement on one connection. */
export type Query = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/** Receives the messages of a channel. */
export interface MessageListener {
  onMessage(message: string): void;
  /** Called when messages may have been missed. */
  onLost(): void;
  /** Called with the reason when messages can no longer be received, and with null when they can again. */
  onHearing?(error: Error | null): void;
  /**
   * Looks for messages that were never sent, several times a second: over the connection that listens, before its messages
   * count as received and then with each heartbeat, and on a replica while the primary does not answer. A failure counts as
   * a lost connection. The embedded database sends every message and never calls it.
   */
  check?(query: Query, server: "primary" | "replica"): Promise<void>;
}

export interface Listening {
  /** Returns true if every message arrives within milliseconds. */
  isHearing(): boolean;
  stop(): Promise<void>;
}

/** A read-only transaction, whose statements all see the same state of the database. */
export interface Snapshot {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Reads the rows of one SELECT of texts through a cursor, some at a time, as arrays. */
  stream(sql: string, parameters: readonly unknown[]): AsyncGenerator<readonly (string | null)[][]>;
  /** Ends the transaction. Statements fail from then on. */
  close(): Promise<void>;
}

/** A server that answers reads of an organization's data. */
export interface ReadServer {
  readonly select: Database["select"];
  /** Returns true if it has all changes of the organization's data that this process knows of. */
  isFresh(organizationId: string): boolean;
}

/** State of a replica. */
export interface ReplicaState {
  /** Host and port. */
  readonly name: string;
  /** Why it does not serve; null while it does. */
  readonly reason: string | null;
  /** Time by which it is behind the primary, in milliseconds. */
  readonly lagMs: number;
  /** Reads that were sent to it. */
  readonly reads: number;
}

/** Streaming replicas of the server, and the reads that they may answer. */
export interface Replicas {
  /** Returns a replica that is fresh for an organization; undefined if none is. */
  choose(organizationId: string): ReadServer | undefined;
  /**
   * Notes a change that this process knows of. Null stands for all organizations. `position` is the position in the
   * write-ahead log by which it is committed; without one, the primary answers all reads until it has told its own.
   */
  changed(change: { readonly organizationId: string | null }, position?: number): void;
  /** Notes that changes may have been missed. */
  lost(): void;
  /** Begins to read the primary's position in its write-ahead log. The returned function takes the position. */
  sample(): (position: number) => void;
  states(): readonly ReplicaState[];
}

export interface TransactionOptions {
  /** True if its statements may exceed the time limit of statements. */
  readonly mayTakeLong?: boolean;
}

/** PostgreSQL, on a server or embedded. Code outside this folder does not know which. */
export interface Database {
  readonly prisma: PrismaClient;
  /** Total time in milliseconds that a request may wait for the database. */
  readonly timeLimitMs: number;
  /**
   * Runs one SELECT, prepared once per connection. It takes 40 to 55 µs of this process, Prisma's raw query 200 to 280.
   * 64-bit integers and floats arrive as numbers, `timestamptz` as Date, `numeric` as text. Retries a few times within
   * half a second if its connection is lost, or none is available. Statements that are `queued` for a tenant use at
   * most half of the connections at a time.
   */
  select<Row>(text: string, values: readonly unknown[], queued?: Queued): Promise<Row[]>;
  /** Listens to a channel's NOTIFY messages. Resolves after the first attempt; reconnects until it is stopped. */
  listen(channel: string, listener: MessageListener): Promise<Listening>;
  /** The replicas that answer reads; undefined if the database has none. */
  readonly replicas?: Replicas | undefined;
  /** Places of writing transactions, for `write`. */
  readonly writePlaces: WritePlaces;
  /**
   * Runs `work` in one transaction, which commits when it resolves and rolls back when it throws. Resolves once its
   * changes are announced. Writers use `write`.
   */
  transaction<T>(work: (sql: SqlSession) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Opens a snapshot on a connection outside the pool, so that a slow client keeps no connection from requests. Its
   * statements have no time limit. The embedded database has one connection: nothing else can run until the snapshot is
   * closed.
   */
  openSnapshot(): Promise<Snapshot>;
  /** Returns the state of the connection pool; null if the database is embedded. */
  connections(): { used: number; idle: number; max: number; waiting: number } | null;
  /** Reports a failure that does not fail any call. */
  warn(error: unknown, message: string): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL URL; without one, the embedded database in `dataDir` is opened. */
  readonly url: string | undefined;
  /**
   * The same server as `url` without the transaction pooler in between. Nothing then relies on sessions of `url`:
   * messages arrive over this URL, statements are not prepared, and the server has no statement timeout.
   */
  readonly directUrl?: string | undefined;
  /** Streaming replicas of the server at `url`. Behind a pooler if `directUrl` is set. */
  readonly replicaUrls?: readonly string[] | undefined;
  /** Lag in milliseconds beyond which a replica does not answer reads. */
  readonly replicaMaxLagMs?: number | undefined;
  /** Called with the reason when a replica stops answering reads, and with null when it does again. */
  readonly onReplicaChange?: ((name: string, reason: string | null) => void) | undefined;
  /** Folder of the embedded database. One process at a time can use it. */
  readonly dataDir: string;
  /** False to refuse to create a missing embedded database (default: true). */
  readonly mayCreate?: boolean;
  /** Data folder with an embedded database to copy. A missing folder is ignored. */
  readonly prepared?: string;
  /** Called after the creation of an embedded database. */
  readonly onCreated?: () => void;
  /** Statement timeout on a server in milliseconds; 0 for none. */
  readonly statementTimeoutMs: number;
  /** Called with errors outside of any call, such as an idle connection that is lost. */
  readonly onError: (error: Error) => void;
  readonly warn?: Database["warn"];
  /**
   * Called with the reason when an embedded database cannot continue: another process has taken over the folder, which
   * is possible after this one was suspended for 20 seconds, or PostgreSQL has aborted, as on a full disk. It must end
   * the process.
   */
  readonly onLost: (error: Error) => void;
}
