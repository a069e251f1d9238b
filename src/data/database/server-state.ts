import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TABLES } from "../../generated/tables.js";
import type { Database } from "./types.js";

/** Tables that serving never reads directly, such as those for undoing imports or for the audit trail's functions. */
const NOT_SERVED: readonly string[] = [
  TABLES.ReplacedRecord,
  TABLES.AuditPending,
  TABLES.CertificateNumber,
  TABLES.PeriodLock,
];

/** Tables that the role of a serving gateway must be able to read, including that of the migrations. */
export const SERVED_TABLES: readonly string[] = [
  ...Object.values(TABLES).filter((table) => !NOT_SERVED.includes(table)),
  "_prisma_migrations",
];

/**
 * Tables that a serving gateway writes without a user's request: it counts, notifies people, sends events, and runs
 * jobs.
 */
export const BACKGROUND_TABLES: readonly string[] = [
  TABLES.ApiKeyUsage,
  TABLES.PlatformDay,
  TABLES.Job,
  TABLES.Notification,
  TABLES.Delivery,
  TABLES.DeliveryTurn,
  TABLES.MailJob,
  TABLES.AuditCheck,
  TABLES.WebhookProgress,
  TABLES.WebhookDelivery,
];

/** Tables from which a serving gateway deletes rows that expired long ago, in addition to BACKGROUND_TABLES. */
export const PRUNED_TABLES: readonly string[] = [
  TABLES.Session,
  TABLES.SignInLink,
  TABLES.Invitation,
  TABLES.Conversation,
  TABLES.IdempotencyKey,
  TABLES.ChangeSet,
  TABLES.RemovedRow,
  TABLES.SsoEvent,
  TABLES.SpentToken,
];

export interface ServerState {
  /** For example `15.4`. */
  readonly version: string;
  /** For example 150004. */
  readonly versionNumber: number;
  /** True for a standby of another server. */
  readonly isStandby: boolean;
  /** By the server's clock. */
  readonly now: Date;
  /** This role's statement timeout in milliseconds; 0 for none. */
  readonly statementTimeoutMs: number;
  /** The connection's date format, such as `ISO, MDY`. */
  readonly dateStyle: string;
  /** The connection's setting. From 1 up, PostgreSQL sends floating-point numbers with every digit. */
  readonly extraFloatDigits: number;
  readonly databaseName: string;
  /** Id of the cluster, which replicas share. */
  readonly systemId: string;
  /** Age of the last transaction that a standby has replayed; 0 if it has replayed everything it received. */
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
           round(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8 ELSE 0 END AS "lagMs",
         current_database()::text AS "databaseName", extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`,
    ),
  );
  if (!row) throw new Error("the database returned no row");
  return { ...row, now: new Date(row.now) };
}

/** Privileges of this connection's role that matter for serving. */
export interface Rights {
  readonly role: string;
  readonly isSuperuser: boolean;
  /** Tables that serving needs to read but the role cannot. */
  readonly unreadable: readonly string[];
  /**
   * Rights that are missing to record uses of keys, sessions and tokens, run jobs, check domains, notify people, send
   * events and prune, such as `DELETE ON sessions`.
   */
  readonly missing: readonly string[];
  /** Tables that the role owns, and so may alter and drop. */
  readonly owned: readonly string[];
  /** Tables that the role may write although serving never does. */
  readonly writable: readonly string[];
}

/**
 * Reads the privileges of this connection's role on existing tables. Uses CASE because PostgreSQL may evaluate AND in
 * any order, and asking for a column that a table does not have fails.
 */
export async function readRights(database: Database): Promise<Rights> {
  const [row] = await database.transaction((sql) =>
    sql.query<Rights>(
      `WITH tables AS (
         SELECT t.name, c.oid, c.relowner FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place)
         JOIN pg_class AS c ON c.oid = to_regclass(t.name) ORDER BY t.place
       )
       SELECT current_user::text AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
         ARRAY(SELECT name FROM tables WHERE NOT has_table_privilege(oid, 'SELECT')) AS unreadable,
         ARRAY(
           SELECT 'UPDATE (last_used_at) ON ' || name FROM tables
           WHERE CASE WHEN name IN ('api_keys', 'sessions', 'service_account_tokens')
             THEN NOT has_column_privilege(oid, 'last_used_at', 'UPDATE') ELSE false END
           UNION ALL SELECT 'UPDATE (disabled_at, disabled_reason) ON ' || name FROM tables
           WHERE CASE WHEN name = 'webhook_endpoints' THEN NOT (has_column_privilege(oid, 'disabled_at', 'UPDATE')
             AND has_column_privilege(oid, 'disabled_reason', 'UPDATE')) ELSE false END
           UNION ALL SELECT 'UPDATE (proven_at, checked_at, failing_since) ON ' || name FROM tables
           WHERE CASE WHEN name = 'domains' THEN NOT (has_column_privilege(oid, 'proven_at', 'UPDATE')
             AND has_column_privilege(oid, 'checked_at', 'UPDATE') AND has_column_privilege(oid, 'failing_since', 'UPDATE')) ELSE false END
           UNION ALL SELECT p || ' ON ' || name FROM tables, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS p
           WHERE (name = ANY ($3) OR p = 'DELETE' AND name = ANY ($2)) AND NOT has_table_privilege(oid, p)) AS missing,
         ARRAY(SELECT name FROM tables WHERE pg_has_role(relowner, 'USAGE')) AS owned,
         ARRAY(SELECT name FROM tables WHERE name <> ALL ($3) AND (has_table_privilege(oid, 'INSERT, UPDATE, TRUNCATE')
           OR name <> ALL ($2) AND has_table_privilege(oid, 'DELETE'))) AS writable`,
      [SERVED_TABLES, PRUNED_TABLES, BACKGROUND_TABLES],
    ),
  );
  if (!row) throw new Error("the database returned no row");
  return row;
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
