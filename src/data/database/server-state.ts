import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "./types.js";

export interface ServerState {
  /** For example `15.4`. */
  readonly version: string;
  /** For example 150004. */
  readonly versionNumber: number;
  /** True for a standby of another server. */
  readonly isStandby: boolean;
  /** By the server's clock. */
  readonly now: Date;
  /** The connection's statement timeout in milliseconds; 0 for none. */
  readonly statementTimeoutMs: number;
  /** The connection's date format, such as `ISO, MDY`. */
  readonly dateStyle: string;
  /** The connection's setting. From 1 up, PostgreSQL sends floating-point numbers with every digit. */
  readonly extraFloatDigits: number;
  readonly databaseName: string;
  /** Id of the cluster, which replicas share. */
  readonly systemId: string;
  /**
   * Age of the last transaction that a standby has replayed, or time since its start if it has replayed none; 0 if it
   * has replayed everything it received.
   */
  readonly lagMs: number;
  /** Start time of the server, which distinguishes servers. */
  readonly startedAt: string;
}

/** Reads the server's version, settings and clock. */
export async function readServerState(database: Database): Promise<ServerState> {
  const [row] = await database.transaction((sql) =>
    // As a number, since the connection may have any DateStyle.
    sql.query<Omit<ServerState, "now"> & { now: number }>(
      `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
         current_setting('server_version_num')::integer AS "versionNumber", pg_is_in_recovery() AS "isStandby",
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
         (SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout') AS "statementTimeoutMs",
         current_setting('DateStyle') AS "dateStyle",
         current_setting('extra_float_digits')::integer AS "extraFloatDigits",
         (SELECT system_identifier::text FROM pg_control_system()) AS "systemId",
         CASE WHEN pg_is_in_recovery() AND pg_last_wal_replay_lsn() < pg_last_wal_receive_lsn() THEN
           round(extract(epoch FROM clock_timestamp()
             - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())) * 1000)::float8 ELSE 0 END AS "lagMs",
         current_database()::text AS "databaseName", extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`,
    ),
  );
  if (!row) throw new Error("the database returned no row");
  return { ...row, now: new Date(row.now) };
}

/** A channel that no gateway listens to. */
const CHANNEL = "gateway_doctor";

/** Returns true if a NOTIFY message arrives within `limitMs`. */
export async function receivesOwnMessages(database: Database, limitMs: number): Promise<boolean> {
  const sent: string = randomUUID();
  const done = new AbortController();
  let received = false;
  const listening = await database.listen(CHANNEL, {
    onMessage(message) {
      if (message !== sent) return;
      received = true;
      done.abort();
    },
    onLost: () => undefined,
  });
  try {
    await database.transaction((sql) => sql.query("SELECT pg_notify($1, $2)", [CHANNEL, sent]));
    if (!received) await delay(limitMs, undefined, { signal: done.signal }).catch(() => undefined);
    return received;
  } finally {
    await listening.stop();
  }
}
