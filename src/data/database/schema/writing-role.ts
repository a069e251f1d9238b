import { TABLES, WRITER_RIGHTS } from "../../../generated/tables.js";
import type { Database } from "../types.js";
import { POLICED_TABLES, WRITING_ROLE } from "./grants.js";

/** Differences between the writing role and the migrations. Rights have the form `UPDATE (name) ON users`. */
export interface WritingRoleState {
  /** This connection's role. */
  readonly role: string;
  readonly exists: boolean;
  /** True if this connection's role may act as the writing role. */
  readonly canAct: boolean;
  /** True if this connection's role has the writing role's rights and policies without acting as it. */
  readonly inherits: boolean;
  readonly missing: readonly string[];
  readonly excess: readonly string[];
  /** Tables that lack their policies. */
  readonly unpoliced: readonly string[];
}

/** Lists every right that the writing role should have. Imports need temporary tables to stage their files. */
function listExpected(databaseName: string): string[] {
  const readable = Object.values(TABLES).filter((table) => table !== TABLES.AuditPending);
  return [
    ...readable.map((table) => `SELECT ON ${table}`),
    ...WRITER_RIGHTS,
    `TEMPORARY ON DATABASE ${databaseName}`,
  ];
}

/** SELECT of all rights of the role: its own, those of PUBLIC, and those of roles that it belongs to. */
const ACTUAL = `
  WITH tables AS (SELECT name, to_regclass(name) AS id FROM unnest($2::text[]) AS name)
  SELECT p || ' ON ' || t.name AS "right" FROM tables AS t, unnest(ARRAY['SELECT', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p
  WHERE has_table_privilege($1, t.id, p)
  UNION ALL
  SELECT format('%s (%s) ON %s', p, a.attname, t.name)
  FROM tables AS t JOIN pg_attribute AS a ON a.attrelid = t.id AND a.attnum > 0 AND NOT a.attisdropped,
    unnest(ARRAY['INSERT', 'UPDATE']) AS p
  WHERE has_column_privilege($1, t.id, a.attnum, p)
  UNION ALL
  SELECT 'TEMPORARY ON DATABASE ' || quote_ident(current_database())
  WHERE has_database_privilege($1, current_database(), 'TEMPORARY')`;

/**
 * Returns the SQL condition that a role may act as the role `w`. Before PostgreSQL 16, membership is enough for that.
 */
const mayActAsWriter = (role: string) => `coalesce(pg_has_role(${role}, w.oid,
  CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END), false)`;

const WRITER = "(SELECT to_regrole($1)::oid AS oid) AS w";

/** Grants of the writing role. `role` is the role that signed in to PostgreSQL, quoted for SQL. */
export interface WriterGrant {
  readonly role: string;
  readonly isGranted: boolean;
  /** True if another role that can sign in and is not a superuser has it. */
  readonly isGrantedToOthers: boolean;
}

/** Reads which roles may act as the writing role. If this one may not, users can neither sign in nor write. */
export async function readWriterGrant(database: Database): Promise<WriterGrant> {
  const [found] = await database.select<WriterGrant>(
    `SELECT quote_ident(session_user) AS role, ${mayActAsWriter("session_user")} AS "isGranted",
       EXISTS (SELECT FROM pg_roles AS r WHERE r.rolcanlogin AND NOT r.rolsuper AND r.rolname <> session_user
         AND ${mayActAsWriter("r.oid")}) AS "isGrantedToOthers" FROM ${WRITER}`,
    [WRITING_ROLE],
  );
  if (!found) throw new Error("the database returned no row");
  return found;
}

/** Returns true if requests can write. */
export async function canWriteForUsers(database: Database): Promise<boolean> {
  const [found] = await database.select<Pick<WriterGrant, "isGranted">>(
    `SELECT ${mayActAsWriter("session_user")} AS "isGranted" FROM ${WRITER}`,
    [WRITING_ROLE],
  );
  return found?.isGranted ?? false;
}

/** Compares the writing role of a migrated database with the migrations' grants and POLICED_TABLES. */
export async function readWritingRole(database: Database): Promise<WritingRoleState> {
  const [found] = await database.select<{
    role: string;
    databaseName: string;
    exists: boolean;
    canAct: boolean;
    inherits: boolean;
  }>(
    `SELECT current_user::text AS role, quote_ident(current_database()) AS "databaseName", oid IS NOT NULL AS exists,
       ${mayActAsWriter("session_user")} AS "canAct",
       coalesce(pg_has_role(oid, 'USAGE') AND row_security_active('api_keys'), false) AS inherits
     FROM ${WRITER}`,
    [WRITING_ROLE],
  );
  if (!found) throw new Error("the database returned no row");
  const { databaseName, ...own } = found;
  if (!own.exists) return { ...own, missing: [], excess: [], unpoliced: [] };
  const expected = listExpected(databaseName);
  const rows = await database.select<{ right: string }>(ACTUAL, [WRITING_ROLE, Object.values(TABLES)]);
  const actual = rows.map(({ right }) => right);
  const unpoliced = await database.select<{ table: string }>(
    `SELECT t.name AS table FROM unnest($2::text[]) WITH ORDINALITY AS t (name, place) JOIN pg_class AS c ON c.oid = to_regclass(t.name)
     WHERE NOT c.relrowsecurity OR (
       SELECT count(DISTINCT p.polcmd) FROM pg_policy AS p JOIN pg_roles AS r ON r.rolname = $1 AND p.polroles = ARRAY[r.oid]
       WHERE p.polrelid = c.oid AND NOT p.polpermissive AND p.polcmd IN ('a', 'w', 'd')) < 3
     ORDER BY t.place`,
    [WRITING_ROLE, POLICED_TABLES],
  );
  return {
    ...own,
    missing: expected.filter((right) => !actual.includes(right)),
    excess: actual.filter((right) => !expected.includes(right)),
    unpoliced: unpoliced.map(({ table }) => table),
  };
}
