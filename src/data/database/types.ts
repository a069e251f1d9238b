import type { PrismaClient } from "../../generated/prisma/client.js";
import type { Queued } from "./places.js";
import type { WritePlaces } from "./write-places.js";

/** A connection in a transaction. */
export interface SqlSession {
  /** Runs one or more statements without parameters. */
  script(sql: string): Promise<void>;
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Runs one writing statement; returns the number of rows that it wrote. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<number>;
  /** Streams lines in COPY's text format to `target`, which is `table (column, …)`. */
  copy(target: string, lines: AsyncIterable<string>): Promise<void>;
}

/** Receives the messages of a channel. */
export interface MessageListener {
  onMessage(message: string): void;
  /** Called when messages may have been missed. */
  onLost(): void;
  /** Called with the reason when messages cannot be received any more, and with null when they are again. */
  onHearing?(error: Error | null): void;
}

export interface Listening {
  /** Whether every message arrives, within milliseconds. */
  isHearing(): boolean;
  stop(): Promise<void>;
}

/** Of a transaction. */
export interface TransactionOptions {
  /** Whether its statements may take as long as they need, beyond the time limit of statements. */
  readonly mayTakeLong?: boolean;
}

/** PostgreSQL, on a server or embedded; code outside this folder does not know which. */
export interface Database {
  readonly prisma: PrismaClient;
  /** How many milliseconds a request may wait for the database in all. */
  readonly timeLimitMs: number;
  /**
   * Runs one SELECT, prepared once per connection; it takes 40 to 55 µs of this process, Prisma's raw query 200 to 280.
   * 64-bit integers and floats arrive as numbers, `timestamptz` as Date, `numeric` as text. If its connection is lost, or
   * none is available, it is retried a few times within half a second. Statements that are `queued` for a tenant use at
   * most half of the connections at a time.
   */
  select<Row>(text: string, values: readonly unknown[], queued?: Queued): Promise<Row[]>;
  /** Listens to a channel's NOTIFY messages. Resolves after the first attempt; reconnects until it is stopped. */
  listen(channel: string, listener: MessageListener): Promise<Listening>;
  /** The places of transactions that write, for `write`. */
  readonly writePlaces: WritePlaces;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Writers use `write`. */
  transaction<T>(work: (sql: SqlSession) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The state of the connection pool; null if the database is embedded. */
  connections(): { used: number; idle: number; max: number; waiting: number } | null;
  /** Reports a failure that fails no call. */
  warn(error: unknown, message: string): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL URL; without one, the embedded database in `dataDir` is opened. */
  readonly url: string | undefined;
  /**
   * The same server as `url` without the transaction pooler in between. Nothing then relies on sessions of `url`:
   * messages are received over this URL, statements are not prepared, and the server has no statement timeout.
   */
  readonly directUrl?: string | undefined;
  /** Folder of the embedded database. One process at a time can use it. */
  readonly dataDir: string;
  /** Whether a missing embedded database is created (default: true). */
  readonly mayCreate?: boolean;
  /** Data folder with an embedded database to begin with. A missing folder is ignored. */
  readonly prepared?: string;
  /** Called after an embedded database was created. */
  readonly onCreated?: () => void;
  /** Statement timeout on a server in milliseconds; 0 for none. */
  readonly statementTimeoutMs: number;
  /** Called with errors outside of any call, such as an idle connection that is lost. */
  readonly onError: (error: Error) => void;
  readonly warn?: Database["warn"];
  /**
   * Called with the reason when an embedded database cannot go on: another process has taken over the folder, which is
   * possible after this one was suspended for 20 seconds, or PostgreSQL has aborted, as on a full disk. It must end the
   * process.
   */
  readonly onLost: (error: Error) => void;
}
