import type pg from "pg";
import type { FairQueueOptions, Queued } from "../fair-queue.js";
import type { Database, Query, ReadServer, ReplicaState, Replicas } from "../types.js";
import { isConnectionLost, isUnusable } from "../unavailable.js";
import { createFreshness, type Freshness } from "./freshness.js";
import { holdConnection, keepTrying } from "./held-connection.js";
import { createSelect, type NameStatement } from "./pool.js";

const HEARTBEAT_MS = 100;
/** Time limit for the answer to a heartbeat. */
const HEARTBEAT_LIMIT_MS = 700;
const RETRY_MS = 200;
/** Silence of the primary after which to read changes from a replica. */
const SILENCE_MS = 400;
/** Time for which replicas serve without the primary. They cannot tell a dead primary from a network partition. */
const MAX_ALONE_MS = 30_000;

const HEARTBEAT = `SELECT pg_is_in_recovery() AS "isStandby",
  coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::float8 AS position`;

export interface ReplicasOptions {
  readonly urls: readonly string[];
  /** Lag in milliseconds above which a replica does not serve. */
  readonly maxLagMs: number;
  readonly connectionOf: (url: string) => pg.ClientConfig;
  readonly createPool: (connection: pg.ClientConfig) => pg.Pool;
  readonly nameStatement: NameStatement;
  /** Options of each replica's queue of organizations' reads. */
  readonly queue: FairQueueOptions;
  readonly selectFromPrimary: Database["select"];
  /** Called with the reason when a replica stops serving, and with null when it resumes. */
  readonly onReplicaChange: (name: string, reason: string | null) => void;
}

/** Handle of the listener that uses the replicas. */
export interface Following {
  /** Notes that the primary has answered a heartbeat. */
  primaryAnswered(): void;
  stop(): Promise<void>;
}

/** Replicas with the methods that only servers use. */
export interface ServerReplicas extends Replicas {
  /** Starts using the replicas. While the primary is silent, calls `follow` to look for changes on one of them. */
  start(follow: (query: Query) => Promise<void>): Following;
  close(): Promise<void>;
}

/** Creates the replicas' pools. Does not use them before `start`. */
export function createReplicas({ urls, ...options }: ReplicasOptions): ServerReplicas {
  const freshness = createFreshness();
  let primaryAt = Number.NEGATIVE_INFINITY;
  const silence = () => performance.now() - primaryAt;
  const replicas = urls.map((url) => createReplica(url, freshness, silence, options));
  let turn = 0;

  const forget = () => {
    const serving = replicas.filter(({ isServing }) => isServing());
    if (serving.length > 0) freshness.forget(Math.min(...serving.map(({ position }) => position())));
  };
  return {
    start(follow) {
      const stopping = new AbortController();
      primaryAt = performance.now();
      let isFollowing = false;
      const followOnce = async (query: Query) => {
        if (isFollowing || silence() < SILENCE_MS) return;
        isFollowing = true;
        await follow(query).finally(() => {
          isFollowing = false;
        });
      };
      const running = replicas.map(({ watch }) => watch(followOnce, stopping.signal));
      return {
        primaryAnswered() {
          primaryAt = performance.now();
        },
        async stop() {
          stopping.abort();
          await Promise.all(running);
        },
      };
    },
    choose(organizationId) {
      const needed = freshness.neededBy(organizationId);
      const fresh = replicas.filter(({ isServing, position }) => isServing() && position() >= needed);
      turn += 1;
      return fresh[turn % fresh.length]?.server;
    },
    standIn: () =>
      silence() < SILENCE_MS ? undefined : replicas.find(({ isServing }) => isServing())?.server,
    changed: ({ organizationId }, position) => freshness.changed(organizationId, position),
    lost: freshness.lost,
    sample() {
      const end = freshness.sample();
      const before = replicas.map(({ position }) => position());
      return (position) => {
        end(position);
        for (const [index, replica] of replicas.entries()) replica.compare(before[index] ?? 0, position);
        forget();
      };
    },
    states: () => replicas.map(({ state }) => state()),
    async close() {
      await Promise.all(replicas.map(({ close }) => close()));
    },
  };
}

/** Makes reads that wait for a replica go to the primary. */
const STOPPED = new Error("the replica stopped serving");

function createReplica(
  url: string,
  freshness: Freshness,
  silence: () => number,
  { maxLagMs, selectFromPrimary, onReplicaChange, nameStatement, ...options }: Omit<ReplicasOptions, "urls">,
) {
  const { hostname, port } = new URL(url);
  const name = `${hostname}:${port || 5432}`;
  const connection = options.connectionOf(url);
  const pool = options.createPool(connection);
  /** Functions that stop waiting for an answer from the replica. */
  const waiting = new Set<(error: Error) => void>();
  let position = 0;
  let reads = 0;
  /** Reason why it is not serving; null while it is. */
  let reason: string | null = "it has not answered yet";
  /**
   * True if it has changes that the primary lacks, as a former primary may. It stays true until the connection ends.
   */
  let isDiverged = false;

  let reported: string | null = null;
  const setReason = (next: string | null) => {
    reason = next;
    if ((reported === null) !== (next === null)) onReplicaChange(name, next);
    reported = next;
    if (next !== null) for (const leave of waiting) leave(STOPPED);
  };
  const findReason = (isStandby: boolean): string | null => {
    if (!isStandby) return "it is not a standby";
    if (isDiverged) return "it has changes that the primary does not have";
    const lag = freshness.lagAt(position);
    if (lag > maxLagMs) return `it is ${Math.round(lag)} ms behind the primary`;
    return silence() > MAX_ALONE_MS ? "the primary has not answered for 30 seconds" : null;
  };
  const isServing = () => reason === null;

  const watchOnce = (follow: (query: Query) => Promise<void>, signal: AbortSignal) => async () => {
    try {
      const impatient = { ...connection, query_timeout: HEARTBEAT_LIMIT_MS };
      await holdConnection(impatient, signal, nameStatement, async ({ query, repeat }) => {
        isDiverged = false;
        await repeat(async () => {
          const [row] = await query<{ isStandby: boolean; position: number }>(HEARTBEAT, []);
          position = row?.position ?? 0;
          setReason(findReason(row?.isStandby ?? false));
          if (isServing()) await follow(query);
        }, HEARTBEAT_MS);
      });
    } catch (error) {
      if (!signal.aborted) setReason(`it does not answer: ${(error as Error).message}`);
    }
  };
  const read = createSelect(pool, nameStatement, options.queue);

  const server: ReadServer = {
    isFresh: (organizationId) => isServing() && position >= freshness.neededBy(organizationId),
    async select<Row>(text: string, values: readonly unknown[], queued?: Queued): Promise<Row[]> {
      reads += 1;
      let leave: (error: Error) => void = () => undefined;
      const left = new Promise<never>((_resolve, reject) => {
        leave = reject;
        waiting.add(leave);
      });
      try {
        return await Promise.race([read<Row>(text, values, queued), left]);
      } catch (error) {
        if (!isReplicaFault(error)) throw error;
        return selectFromPrimary(text, values, queued);
      } finally {
        waiting.delete(leave);
      }
    },
  };
  return {
    server,
    isServing,
    position: () => position,
    /** Compares its earlier position with a later one of the primary. */
    compare(before: number, primary: number) {
      if (before > primary) isDiverged = true;
      if (isServing()) setReason(findReason(true));
    },
    state: (): ReplicaState => ({ name, reason, lagMs: freshness.lagAt(position), reads }),
    watch: (follow: (query: Query) => Promise<void>, signal: AbortSignal) =>
      keepTrying(watchOnce(follow, signal), RETRY_MS, signal),
    close: () => pool.end(),
  };
}

/**
 * Returns true if the primary may answer a read that failed on a replica, such as one that conflicted with WAL replay.
 */
function isReplicaFault(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return (
    error === STOPPED ||
    code === "40001" ||
    isConnectionLost(error) ||
    isUnusable(error) ||
    /timeout exceeded when trying to connect/.test(message ?? "")
  );
}
