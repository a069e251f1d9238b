import { limitTime } from "../../time-limit.js";
import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";

const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 60_000;
/** Maximum time that `stop` waits for the database. */
const STOP_MS = 500;

interface Counts {
  requests: number;
  refused: number;
  errors: number;
}

export interface KeyUsage {
  /** Counts a request by the status of its response. */
  count(keyId: string, status: number, now: Date): void;
  /** Writes the counts that have not been written yet. */
  stop(): Promise<void>;
}

/**
 * Counts the requests of each key by hour in memory, and adds the counts to the database once a minute and on `stop`.
 * Requests answered with 401 or 429 count as refused. All others count as requests, and those with 5xx also as errors.
 * If a write fails, calls `onFailed` and keeps the counts for the next one.
 */
export function startKeyUsage(database: Database, onFailed: (error: unknown) => void): KeyUsage {
  /** By hour since 1970, then by key. */
  let hours = new Map<number, Map<string, Counts>>();
  const countsOf = (hour: number, keyId: string): Counts => {
    const keys = hours.get(hour) ?? put(hours, hour, new Map<string, Counts>());
    return keys.get(keyId) ?? put(keys, keyId, { requests: 0, refused: 0, errors: 0 });
  };
  const flush = async () => {
    if (hours.size === 0) return;
    const due = hours;
    hours = new Map();
    try {
      await writeUsage(database, due);
    } catch (error) {
      onFailed(error);
      for (const [hour, keys] of due) {
        for (const [keyId, { requests, refused, errors }] of keys) {
          const counts = countsOf(hour, keyId);
          counts.requests += requests;
          counts.refused += refused;
          counts.errors += errors;
        }
      }
    }
  };
  let writing = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(flush);
  }, WRITE_EVERY_MS).unref();
  return {
    count(keyId, status, now) {
      const counts = countsOf(Math.floor(now.getTime() / HOUR_MS), keyId);
      if (status === 401 || status === 429) {
        counts.refused += 1;
        return;
      }
      counts.requests += 1;
      if (status >= 500) counts.errors += 1;
    },
    async stop() {
      clearInterval(timer);
      // A database that hangs must not keep the gateway from stopping.
      await limitTime(STOP_MS)(() => writing.then(flush)).catch(onFailed);
    },
  };
}

function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  map.set(key, value);
  return value;
}

function writeUsage(
  database: Database,
  hours: ReadonlyMap<number, ReadonlyMap<string, Counts>>,
): Promise<number> {
  const rows = [...hours].flatMap(([hour, keys]) =>
    [...keys].map(([keyId, counts]) => ({ keyId, hour: new Date(hour * HOUR_MS).toISOString(), ...counts })),
  );
  // The join drops deleted keys. Every process writes in the same order, so two cannot deadlock.
  return write(database, "serve", (sql) =>
    sql.execute(
      `INSERT INTO api_key_usage AS kept (key_id, hour, requests, refused, errors)
       SELECT used.* FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[])
         AS used (key_id, hour, requests, refused, errors) JOIN api_keys ON api_keys.id = used.key_id
       ORDER BY used.key_id, used.hour
       ON CONFLICT (key_id, hour) DO UPDATE SET requests = kept.requests + EXCLUDED.requests,
         refused = kept.refused + EXCLUDED.refused, errors = kept.errors + EXCLUDED.errors`,
      [
        rows.map(({ keyId }) => keyId),
        rows.map(({ hour }) => hour),
        rows.map(({ requests }) => requests),
        rows.map(({ refused }) => refused),
        rows.map(({ errors }) => errors),
      ],
    ),
  );
}
