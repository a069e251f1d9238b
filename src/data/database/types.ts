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
   * Looks for messages that were never sent, over the connection that listens: before its messages count as received, and
   * then several times a second. A failure counts as a lost connection. The embedded database sends every message and never calls
   * it.
   */
  check?(query: Query): Promise<void>;
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
