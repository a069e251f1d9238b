import { TABLES, WRITER_RIGHTS } from "../../../generated/tables.js";
import type { Database, Query, SqlSession } from "../types.js";
import { POLICED_TABLES, policiesOf, WRITING_ROLE } from "./grants.js";
import { SERVED_TABLES } from "./serving-role.js";

/** Differences between the writing role and the migrations. Rights have the form `UPDATE (name) ON users`. */
export interface WritingRoleState {
  /** This connection's role. */
  readonly role: string;
  readonly exists: boolean;
  /** True if this connection's role may act as the writing role. */
  readonly canAct: boolean;
  /** True if this connection's role owns the tables, and another role may act as the writing role to serve. */
  readonly isForCommands: boolean;
  /** True if this connection's role has the writing role's rights and policies without acting as it. */
  readonly inherits: boolean;
  readonly missing: readonly string[];
  readonly excess: readonly string[];
  /** Tables that lack their policies. */
  readonly unpoliced: readonly string[];
}

/** Tables that the writing role reads. */
const READABLE = Object.values(TABLES).filter((table) => table !== TABLES.AuditPending);

/** Lists every right that the writing role should have. Imports need temporary tables to stage their files. */
function listExpected(databaseName: string, schemaName: string): string[] {
  return [
    `USAGE ON SCHEMA ${schemaName}`,
    ...READABLE.map((table) => `SELECT ON ${table}`),
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
  SELECT 'USAGE ON SCHEMA ' || quote_ident(current_schema()) WHERE has_schema_privilege($1, current_schema(), 'USAGE')
  UNION ALL
  SELECT 'TEMPORARY ON DATABASE ' || quote_ident(current_database())
  WHERE has_database_privilege($1, current_database(), 'TEMPORARY')`;

/**
 * Returns the SQL condition that a role may act as the role `w`. Before PostgreSQL 16, membership is enough for that.
 */
const mayActAsWriter = (role: string) => `coalesce(pg_has_role(${role}, w.oid,
  CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END), false)`;

/** SQL condition that a role other than this connection's may sign in and act as the role `w`. */
const IS_GRANTED_TO_OTHERS = `EXISTS (SELECT FROM pg_roles AS r WHERE r.rolcanlogin AND NOT r.rolsuper
  AND r.rolname <> session_user AND ${mayActAsWriter("r.oid")})`;

/** SQL condition that such a role serves, because this connection's owns the tables. */
const IS_FOR_COMMANDS = `coalesce((SELECT pg_has_role(session_user, relowner, 'USAGE') FROM pg_class
  WHERE oid = to_regclass('${TABLES.Organization}')), false) AND ${IS_GRANTED_TO_OTHERS}`;

const WRITER = "(SELECT to_regrole($1)::oid AS oid) AS w";

/** Grants of the writing role. `role` is the role that signed in to PostgreSQL, quoted for SQL. */
export interface WriterGrant {
  readonly role: string;
  readonly isGranted: boolean;
  /** True if it owns the tables, and another role has the grant to serve. */
  readonly isForCommands: boolean;
  /** True if another role that can sign in and is not a superuser has it. */
  readonly isGrantedToOthers: boolean;
}

/** Reads which roles may act as the writing role. If this one may not, users can neither sign in nor write. */
export async function readWriterGrant(database: Database): Promise<WriterGrant> {
  const [found] = await database.select<WriterGrant>(
    `SELECT quote_ident(session_user) AS role, ${mayActAsWriter("session_user")} AS "isGranted",
       ${IS_FOR_COMMANDS} AS "isForCommands", ${IS_GRANTED_TO_OTHERS} AS "isGrantedToOthers" FROM ${WRITER}`,
    [WRITING_ROLE],
  );
  if (!found) throw new Error("the database returned no row");
  return found;
}

/** Rights that a gateway needs to be ready. */
export interface ServingState {
  /** True if this connection's role can read every table that serving reads. */
  readonly canRead: boolean;
  /** True if users' requests can write: the writing role is granted, and can read all tables. */
  readonly isWriterGranted: boolean;
  /** True if the server or the role accepts only reads. */
  readonly isReadOnly: boolean;
}

/** Reads whether a gateway can serve. */
export async function readServingState(database: Database): Promise<ServingState> {
  const canRead = (role: string, tables: string) =>
    `NOT EXISTS (SELECT FROM unnest(${tables}::text[]) AS name
       WHERE NOT coalesce(has_table_privilege(${role}, to_regclass(name), 'SELECT'), false))`;
  const [found] = await database.select<ServingState>(
    `SELECT ${canRead("current_user", "$2")} AS "canRead",
       ${mayActAsWriter("session_user")} AND coalesce(has_schema_privilege(w.oid, current_schema(), 'USAGE'), false)
         AND ${canRead("w.oid", "$3")} AS "isWriterGranted",
       current_setting('transaction_read_only')::boolean AS "isReadOnly"
     FROM ${WRITER}`,
    [WRITING_ROLE, SERVED_TABLES, READABLE],
  );
  if (!found) throw new Error("the database returned no row");
  return found;
}

/** Creates the writing role if it is missing, as the migration does that first needs it. */
export const CREATE_ROLE = `DO $$ BEGIN
  IF to_regrole('${WRITING_ROLE}') IS NULL THEN
    CREATE ROLE ${WRITING_ROLE} NOLOGIN;
    GRANT ${WRITING_ROLE} TO CURRENT_USER;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role ${WRITING_ROLE} does not exist, and % may not create it. As a superuser, run once: CREATE ROLE ${WRITING_ROLE}; GRANT ${WRITING_ROLE} TO %',
      current_user, quote_ident(current_user)
      USING ERRCODE = 'undefined_object';
END $$`;

/** Revokes the right of PUBLIC to call functions that run as the owner, which a dump without privileges restores. */
const REVOKE_FUNCTIONS = `DO $$ DECLARE name regprocedure; BEGIN
  FOR name IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef
    AND EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0)
  LOOP EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name); END LOOP;
END $$`;

/**
 * Brings the writing role's rights and policies to the form that the migrations give them, which a restored dump may
 * lack. Returns the differences that it found. Needs the owner of the tables.
 */
export async function restoreWritingRole(
  sql: SqlSession,
): Promise<Pick<WritingRoleState, "missing" | "excess" | "unpoliced">> {
  await sql.script(`${CREATE_ROLE};\n${REVOKE_FUNCTIONS}`);
  const { missing, excess, unpoliced } = await compareWritingRole(sql.query);
  // A right to columns that comes from one to the whole table can only be revoked with that.
  const again = [
    `REVOKE INSERT, UPDATE ON ${Object.values(TABLES).join(", ")} FROM ${WRITING_ROLE}`,
    ...excess.map((right) => `REVOKE ${right} FROM ${WRITING_ROLE}`),
    ...WRITER_RIGHTS.map((right) => `GRANT ${right} TO ${WRITING_ROLE}`),
  ];
  const statements = [
    ...(excess.length > 0 ? again : []),
    ...missing.map((right) => `GRANT ${right} TO ${WRITING_ROLE}`),
    ...unpoliced.flatMap(policiesOf),
  ];
  if (statements.length > 0) await sql.script(statements.join(";\n"));
  return { missing, excess, unpoliced };
}

/** Compares the writing role of a migrated database with the migrations' grants and POLICED_TABLES. */
export const readWritingRole = (database: Database): Promise<WritingRoleState> =>
  compareWritingRole((text, values) => database.select(text, values));

async function compareWritingRole(query: Query): Promise<WritingRoleState> {
  const [found] = await query<{
    role: string;
    databaseName: string;
    schemaName: string;
    exists: boolean;
    canAct: boolean;
    isForCommands: boolean;
    inherits: boolean;
  }>(
    `SELECT current_user::text AS role, quote_ident(current_database()) AS "databaseName",
       quote_ident(current_schema()) AS "schemaName", oid IS NOT NULL AS exists,
       ${mayActAsWriter("session_user")} AS "canAct",
       ${IS_FOR_COMMANDS} AS "isForCommands",
       coalesce(pg_has_role(oid, 'USAGE') AND row_security_active('api_keys'), false) AS inherits
     FROM ${WRITER}`,
    [WRITING_ROLE],
  );
  if (!found) throw new Error("the database returned no row");
  const { databaseName, schemaName, ...own } = found;
  if (!own.exists) return { ...own, missing: [], excess: [], unpoliced: [] };
  const expected = listExpected(databaseName, schemaName);
  const rows = await query<{ right: string }>(ACTUAL, [WRITING_ROLE, Object.values(TABLES)]);
  const actual = rows.map(({ right }) => right);
  const unpoliced = await query<{ table: string }>(
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
