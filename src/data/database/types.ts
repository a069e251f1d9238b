import type { PrismaClient } from "../../generated/prisma/client.js";
import type { Queued } from "./tenant-queue.js";

/** One connection inside one transaction. */
export interface SqlSession {
  /** Runs statements without parameters, as many as there are in `sql`. */
  script(sql: string): Promise<void>;
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Runs one statement that writes; returns how many rows it wrote. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<number>;
  /** Sends lines in the text format of COPY to columns of a table, as they come. `target` is `table (column, …)`. */
  copy(target: string, lines: AsyncIterable<string>): Promise<void>;
}

/** What is told of a channel's messages. */
export interface MessageListener {
  onMessage(message: string): void;
  /** Called when messages may have been missed. */
  onLost(): void;
  /** Told why an attempt to listen failed, and that messages are heard again (null): once for each change. */
  onHearing?(error: Error | null): void;
}

export interface Listening {
  /** Whether every message that is sent arrives, within milliseconds. */
  isHearing(): boolean;
  stop(): Promise<void>;
}

/** PostgreSQL, on a server or embedded; nothing above this folder knows which. */
export interface Database {
  readonly prisma: PrismaClient;
  /** Milliseconds that one request may wait for it in all. */
  readonly timeLimitMs: number;
  /**
   * Runs one SELECT, prepared once for each connection: 40 to 55 µs of this process, where Prisma's raw query takes 200
   * to 280. Whole numbers of 64 bits and floats arrive as numbers, `timestamptz` as Date, `numeric` as text. Where its
   * connection is lost, or none can be had, it is tried again a few times within half a second. With a `turn`, the statements of its
   * name use at most half of a server's connections at a time.
   */
  select<Row>(text: string, values: readonly unknown[], queued?: Queued): Promise<Row[]>;
  /** Hears what NOTIFY sends on a channel. Resolves after the first attempt, and goes on trying until it is stopped. */
  listen(channel: string, listener: MessageListener): Promise<Listening>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (sql: SqlSession) => Promise<T>): Promise<T>;
  /** Of the pool; null where the database is embedded. */
  connections(): { used: number; idle: number; max: number; waiting: number } | null;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** PostgreSQL's URL; without one the embedded database in `dataDir` is opened. */
  readonly url: string | undefined;
  /**
   * The same server without the pooler of transactions that `url` leads to. Nothing then relies on a session of `url`:
   * messages are heard over this, statements are not prepared by name, and the server knows no limit of their time.
   */
  readonly directUrl?: string | undefined;
  /** Folder of the embedded database. One process may hold it at a time. */
  readonly dataDir: string;
  /** Whether an embedded database is created where there is none (the default). */
  readonly mayCreate?: boolean;
  /** Called when an embedded database was created. */
  readonly onCreated?: () => void;
  /** Milliseconds that one statement may take on a server; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** Called for what goes wrong outside of any call, such as an idle connection that is cut. */
  readonly onError: (error: Error) => void;
  /**
   * Called with the reason when an embedded database cannot go on: another process has taken the folder, which it can
   * after this one stood still for 20 seconds, or PostgreSQL has given up, as on a full disk. It must end the process.
   */
  readonly onLost: (error: Error) => void;
}
