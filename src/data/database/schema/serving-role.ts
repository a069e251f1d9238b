import { escapeIdentifier } from "pg";
import { TABLES } from "../../../generated/tables.js";
import type { Database } from "../types.js";

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

/** Tables from which a serving gateway deletes expired rows, in addition to BACKGROUND_TABLES. */
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

/** Columns that a serving gateway updates without a user's request. */
const UPDATED_COLUMNS = {
  [TABLES.ApiKey]: ["last_used_at"],
  [TABLES.ServiceAccountToken]: ["last_used_at"],
  [TABLES.Session]: ["last_used_at"],
  [TABLES.WebhookEndpoint]: ["disabled_at", "disabled_reason"],
  [TABLES.Domain]: ["proven_at", "checked_at", "failing_since"],
};

/** A privilege on a table, or on one of its columns. */
interface Right {
  readonly privilege: string;
  readonly table: string;
  readonly column?: string;
}

/** Rights with which a serving gateway writes without a user's request. */
const WRITING_RIGHTS: readonly Right[] = [
  ...Object.entries(UPDATED_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => ({ privilege: "UPDATE", table, column })),
  ),
  ...BACKGROUND_TABLES.flatMap((table) =>
    ["INSERT", "UPDATE", "DELETE"].map((privilege) => ({ privilege, table })),
  ),
  ...PRUNED_TABLES.map((table) => ({ privilege: "DELETE", table })),
];

/** Returns a right as SQL, such as `UPDATE (last_used_at) ON sessions`. */
const toSql = ({ privilege, table, column }: Right) =>
  `${privilege}${column === undefined ? "" : ` (${column})`} ON ${table}`;

/** Grants a role what serving needs. Repeating it changes nothing. Fails if the role does not exist. */
export async function grantServing(database: Database, role: string): Promise<void> {
  const rights = [
    `SELECT ON ${SERVED_TABLES.join(", ")}`,
    "USAGE ON SCHEMA public",
    ...WRITING_RIGHTS.map(toSql),
  ];
  const grants = rights.map((right) => `GRANT ${right} TO ${escapeIdentifier(role)}`);
  await database.transaction(({ script }) => script(grants.join(";\n")));
}

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
         SELECT t.name, c.oid, c.relowner FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place)
         JOIN pg_class AS c ON c.oid = to_regclass(t.name) ORDER BY t.place
       )
       SELECT current_user::text AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
         ARRAY(SELECT name FROM tables WHERE NOT has_table_privilege(oid, 'SELECT')) AS unreadable,
         ARRAY(
           SELECT r.sql FROM jsonb_to_recordset($4::jsonb) AS r (sql text, privilege text, "table" text, "column" text)
           JOIN tables AS t ON t.name = r."table" LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attname = r."column"
           WHERE NOT CASE WHEN r."column" IS NULL THEN has_table_privilege(t.oid, r.privilege)
             ELSE has_column_privilege(t.oid, a.attnum, r.privilege) END) AS missing,
         ARRAY(SELECT name FROM tables WHERE pg_has_role(relowner, 'USAGE')) AS owned,
         ARRAY(SELECT name FROM tables WHERE name <> ALL ($3) AND (has_table_privilege(oid, 'INSERT, UPDATE, TRUNCATE')
           OR name <> ALL ($2) AND has_table_privilege(oid, 'DELETE'))) AS writable`,
      [
        SERVED_TABLES,
        PRUNED_TABLES,
        BACKGROUND_TABLES,
        JSON.stringify(WRITING_RIGHTS.map((right) => ({ ...right, sql: toSql(right) }))),
      ],
    ),
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}
