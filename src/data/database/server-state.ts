import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TABLES } from "./tables.js";
import type { Database } from "./types.js";

/** Tables that commands alone read: the trail of keys, and what taking an import back needs. */
const NOT_SERVED: readonly string[] = [TABLES.KeyEvent, TABLES.Import, TABLES.ReplacedRecord];

/** All that a role which serves has to read, and what tells of the migrations. */
export const SERVED_TABLES: readonly string[] = [
  ...Object.values(TABLES).filter((table) => !NOT_SERVED.includes(table)),
  "_prisma_migrations",
];

export interface ServerState {
  /** Such as `15.4`. */
  readonly version: string;
  /** Such as 150004. */
  readonly versionNumber: number;
  /** Whether it only follows another server. */
  readonly isStandby: boolean;
  /** Its clock. */
  readonly now: Date;
  /** Milliseconds that it lets a statement of this role take; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** Of the connection: how dates are written, such as `ISO, MDY`. */
  readonly dateStyle: string;
  /** Of the connection: from 1 on, numbers of floating point come with every digit. */
  readonly extraFloatDigits: number;
  readonly databaseName: string;
  /** When the server was started, which tells one from another. */
  readonly startedAt: string;
}

/** Asks the database what it is. */
export async function readServerState(database: Database): Promise<ServerState> {
  const [row] = await database.transaction((sql) =>
    // The time as a number, since the connection's DateStyle may be any.
    sql.query<Omit<ServerState, "now"> & { now: number }>(
      `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
         current_setting('server_version_num')::integer AS "versionNumber", pg_is_in_recovery() AS "isStandby",
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
         (SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout') AS "statementTimeoutMs",
         current_setting('DateStyle') AS "dateStyle",
         current_setting('extra_float_digits')::integer AS "extraFloatDigits",
         current_database()::text AS "databaseName", extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`,
    ),
  );
  if (!row) throw new Error("the database answered nothing");
  return { ...row, now: new Date(row.now) };
}

/** What the role of this connection may do, as far as serving is concerned. */
export interface Rights {
  readonly role: string;
  readonly isSuperuser: boolean;
  /** Tables that it has to read and may not. */
  readonly unreadable: readonly string[];
  /** Whether it may note a key's last use, where there is a table of keys. */
  readonly canTouch: boolean;
  /** Tables that it owns: it may change them in every way, and remove them. */
  readonly owned: readonly string[];
  /** Tables whose rows it may add, change or remove. */
  readonly writable: readonly string[];
}

/** Reads the rights of the role that is connected; of tables that there are. */
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
         coalesce((SELECT has_column_privilege(oid, 'last_used_at', 'UPDATE') FROM tables WHERE name = 'api_keys'), true)
           AS "canTouch",
         ARRAY(SELECT name FROM tables WHERE pg_has_role(relowner, 'USAGE')) AS owned,
         ARRAY(SELECT name FROM tables WHERE has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) AS writable`,
      [SERVED_TABLES],
    ),
  );
  if (!row) throw new Error("the database answered nothing");
  return row;
}

/** A channel like that of changes, on which gateways do not listen. */
const CHANNEL = "gateway_doctor";

/** Whether a message that is sent to a channel comes back within `limitMs`. */
export async function hearsItself(database: Database, limitMs: number): Promise<boolean> {
  const sent: string = randomUUID();
  const done = new AbortController();
  let heard = false;
  const listening = await database.listen(CHANNEL, {
    onMessage(message) {
      if (message !== sent) return;
      heard = true;
      done.abort();
    },
    onLost: () => undefined,
  });
  try {
    await database.transaction((sql) => sql.query("SELECT pg_notify($1, $2)", [CHANNEL, sent]));
    if (!heard) await delay(limitMs, undefined, { signal: done.signal }).catch(() => undefined);
    return heard;
  } finally {
    await listening.stop();
  }
}
