import { escapeIdentifier } from "pg";
import { TABLES } from "../../../generated/tables.js";
import type { Database, SqlSession } from "../types.js";

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

/** Columns that a serving gateway updates without a user's request: it counts, notifies, sends events and runs jobs. */
const UPDATED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  [TABLES.ApiKey]: ["last_used_at"],
  [TABLES.ServiceAccountToken]: ["last_used_at"],
  [TABLES.Session]: ["last_used_at"],
  [TABLES.WebhookEndpoint]: ["disabled_at", "disabled_reason"],
  [TABLES.Domain]: ["proven_at", "checked_at", "failing_since"],
  [TABLES.ApiKeyUsage]: ["requests", "refused", "errors"],
  [TABLES.PlatformDay]: ["value"],
  [TABLES.Job]: ["started_at", "finished_at", "failed_at", "resume_after", "leased_until", "failures"],
  [TABLES.Delivery]: ["attempts", "claimed_until", "next_at", "done_at", "error"],
  [TABLES.DeliveryTurn]: ["served_at", "hour", "count", "timeouts", "paused_until"],
  [TABLES.MailJob]: ["attempts", "next_at", "sent_at", "error", "token_sealed"],
  [TABLES.AuditCheck]: ["seq", "hash", "checked_at", "broken_seq"],
  [TABLES.WebhookProgress]: [
    "seq",
    "place",
    "failures",
    "failing_since",
    "paused_until",
    "next_at",
    "served_at",
    "claim",
    "claimed_until",
  ],
  [TABLES.WebhookDelivery]: [
    "status",
    "attempts",
    "last_status",
    "last_error",
    "last_attempt_at",
    "next_attempt_at",
  ],
};

/** Tables to which a serving gateway adds rows without a user's request. */
const FILLED_TABLES: readonly string[] = [
  TABLES.ApiKeyUsage,
  TABLES.PlatformDay,
  TABLES.Job,
  TABLES.Notification,
  TABLES.Delivery,
  TABLES.DeliveryTurn,
  TABLES.AuditCheck,
  TABLES.WebhookDelivery,
];

/** Tables from which a serving gateway deletes expired rows. Triggers refuse to delete any others. */
const PRUNED_TABLES: readonly string[] = [
  TABLES.Session,
  TABLES.SignInLink,
  TABLES.Invitation,
  TABLES.Conversation,
  TABLES.IdempotencyKey,
  TABLES.ChangeSet,
  TABLES.RemovedRow,
  TABLES.SsoEvent,
  TABLES.SpentToken,
  TABLES.ApiKeyUsage,
  TABLES.Notification,
  TABLES.Delivery,
  TABLES.DeliveryTurn,
  TABLES.MailJob,
  TABLES.WebhookDelivery,
];

/** A privilege on a table, or on one of its columns. */
interface Right {
  readonly privilege: string;
  readonly table: string;
  readonly column?: string;
}

/** Rights with which a serving gateway writes without a user's request. */
const SERVING_RIGHTS: readonly Right[] = [
  ...Object.entries(UPDATED_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => ({ privilege: "UPDATE", table, column })),
  ),
  ...FILLED_TABLES.map((table) => ({ privilege: "INSERT", table })),
  ...PRUNED_TABLES.map((table) => ({ privilege: "DELETE", table })),
];

/** Returns a right as SQL, such as `UPDATE (last_used_at) ON sessions`. */
const toSql = ({ privilege, table, column }: Right) =>
  `${privilege}${column === undefined ? "" : ` (${column})`} ON ${table}`;

/** The same rights as SQL. */
export const SERVING_WRITES: readonly string[] = SERVING_RIGHTS.map(toSql);

/**
 * Grants a role what serving needs, and revokes other rights to write, which earlier versions granted. Repeating it
 * changes nothing. Fails if the role does not exist.
 */
export async function grantServing(sql: SqlSession, role: string): Promise<void> {
  const name = escapeIdentifier(role);
  const rights = [`SELECT ON ${SERVED_TABLES.join(", ")}`, "USAGE ON SCHEMA public", ...SERVING_WRITES];
  const statements = [
    `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${Object.values(TABLES).join(", ")} FROM ${name}`,
    ...rights.map((right) => `GRANT ${right} TO ${name}`),
  ];
  await sql.script(statements.join(";\n"));
}

/** Returns SQL for the id of a table in a schema that this connection's role may not use, where names do not find it. */
export const hiddenTable = (name: string) =>
  `(SELECT max(oid) FROM pg_class WHERE relname = ${name} AND relkind IN ('r', 'p') AND NOT has_schema_privilege(relnamespace, 'USAGE'))`;

/** Privileges of this connection's role that matter for serving. */
export interface Rights {
  readonly role: string;
  readonly isSuperuser: boolean;
  /** Tables that serving needs to read but the role cannot. */
  readonly unreadable: readonly string[];
  /** Missing rights to write without a user's request, such as `DELETE ON sessions`. */
  readonly missing: readonly string[];
  /** Tables that the role owns, and so may alter and drop. */
  readonly owned: readonly string[];
  /** Tables that the role may write although serving never does. */
  readonly writable: readonly string[];
}

/** Reads the privileges of this connection's role on existing tables and columns. */
export async function readRights(database: Database): Promise<Rights> {
  const [row] = await database.transaction((sql) =>
    sql.query<Rights>(
      `WITH tables AS (
         SELECT t.name, c.oid, c.relowner, to_regclass(t.name) IS NOT NULL AND has_table_privilege(c.oid, 'SELECT') AS readable
         FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place)
         JOIN pg_class AS c ON c.oid = coalesce(to_regclass(t.name), ${hiddenTable("t.name")}) ORDER BY t.place
       )
       SELECT current_user::text AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
         ARRAY(SELECT name FROM tables WHERE NOT readable) AS unreadable,
         ARRAY(
           SELECT r.sql FROM ROWS FROM (jsonb_to_recordset($4::jsonb) AS (sql text, privilege text, "table" text, "column" text))
             WITH ORDINALITY AS r (sql, privilege, "table", "column", place)
           JOIN tables AS t ON t.name = r."table" LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attname = r."column"
           WHERE NOT CASE WHEN r."column" IS NULL THEN has_table_privilege(t.oid, r.privilege)
             ELSE has_column_privilege(t.oid, a.attnum, r.privilege) END
           ORDER BY r.place) AS missing,
         ARRAY(SELECT name FROM tables WHERE pg_has_role(relowner, 'USAGE')) AS owned,
         ARRAY(SELECT name FROM tables WHERE has_table_privilege(oid, 'UPDATE, TRUNCATE')
           OR name <> ALL ($2) AND has_table_privilege(oid, 'INSERT')
           OR name <> ALL ($3) AND has_table_privilege(oid, 'DELETE')) AS writable`,
      [
        SERVED_TABLES,
        FILLED_TABLES,
        PRUNED_TABLES,
        JSON.stringify(SERVING_RIGHTS.map((right) => ({ ...right, sql: toSql(right) }))),
      ],
    ),
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}
