import { TABLES } from "./tables.js";
import type { Database } from "./types.js";

type Table = (typeof TABLES)[keyof typeof TABLES];

/** The role as which people's requests write. */
export const WRITING_ROLE = "gateway_writer";

/** What the writing role may write; the migrations grant it. It may read every table but `audit_pending`. */
export const WRITER_GRANTS: Readonly<
  Partial<Record<Table, { insert?: readonly string[]; update?: readonly string[]; mayDelete?: true }>>
> = {
  organizations: { insert: ["id", "slug", "name"], update: ["name"] },
  users: {
    insert: ["id", "email", "name", "password_hash", "password_changed_at"],
    update: ["name", "password_hash", "password_changed_at"],
  },
  memberships: { insert: ["organization_id", "user_id", "role"], update: ["role"], mayDelete: true },
  invitations: {
    insert: [
      ...["id", "organization_id", "email", "role", "token_hash", "invited_by", "expires_at", "created_at"],
    ],
    update: ["accepted_at", "revoked_at"],
  },
  sessions: {
    insert: [
      ...["id", "user_id", "organization_id", "kind", "token_hash", "token_expires_at", "refresh_hash"],
      ...["authenticated_at", "last_used_at", "expires_at", "address", "user_agent", "created_at"],
    ],
    update: [
      ...["organization_id", "token_hash", "token_expires_at", "refresh_hash", "authenticated_at"],
      ...["last_used_at", "expires_at", "revoked_at"],
    ],
  },
  spent_refresh_tokens: { insert: ["session_id", "hash", "used_at"] },
  sign_in_links: { update: ["used_at"] },
  api_keys: {
    insert: [
      ...["id", "organization_id", "name", "hash", "pepper", "display", "tier", "scopes", "expires_at"],
      ...["created_at", "created_by"],
    ],
    update: ["name", "tier", "scopes", "expires_at", "revoked_at", "version"],
  },
  emission_factors: {
    insert: [
      ...["id", "organization_id", "activity", "region", "scope", "category", "gas", "factor", "unit"],
      ...["dimension", "qualifier", "source", "source_url", "source_year", "verified"],
    ],
  },
};

/** The tables whose policies keep the writing role to the rows of one organization. */
export const POLICED_TABLES: readonly Table[] = [
  ...(["organizations", "memberships", "invitations", "api_keys", "sessions", "facilities"] as const),
  ...(["emission_records", "compliance_statuses", "compliance_deadlines"] as const),
  ...(["credit_batches", "credit_sales", "credit_retirements", "emission_factors"] as const),
];

/** What is wrong with the writing role; rights read such as `UPDATE (name) ON users`. */
export interface WritingRoleState {
  /** This connection's role. */
  readonly role: string;
  readonly exists: boolean;
  /** Whether this connection's role may act as it. */
  readonly canAct: boolean;
  /** Whether this connection's role has its rights, and is bound by its policies, without acting as it. */
  readonly inherits: boolean;
  readonly missing: readonly string[];
  readonly excess: readonly string[];
  /** Tables without their policies. */
  readonly unpoliced: readonly string[];
}

/** Every right on a table or column that the writing role should have. */
function listExpected(): string[] {
  const readable = Object.values(TABLES).filter((table) => table !== TABLES.AuditPending);
  const written = Object.entries(WRITER_GRANTS).flatMap(
    ([table, { insert = [], update = [], mayDelete }]) => [
      ...insert.map((column) => `INSERT (${column}) ON ${table}`),
      ...update.map((column) => `UPDATE (${column}) ON ${table}`),
      ...(mayDelete ? [`DELETE ON ${table}`] : []),
    ],
  );
  return [...readable.map((table) => `SELECT ON ${table}`), ...written];
}

/** The rights that the role has by whatever way: of its own, of PUBLIC, or of a role that it belongs to. */
const ACTUAL = `
  WITH tables AS (SELECT name, to_regclass(name) AS id FROM unnest($2::text[]) AS name)
  SELECT p || ' ON ' || t.name AS "right" FROM tables AS t, unnest(ARRAY['SELECT', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p
  WHERE has_table_privilege($1, t.id, p)
  UNION ALL
  SELECT format('%s (%s) ON %s', p, a.attname, t.name)
  FROM tables AS t JOIN pg_attribute AS a ON a.attrelid = t.id AND a.attnum > 0 AND NOT a.attisdropped,
    unnest(ARRAY['INSERT', 'UPDATE']) AS p
  WHERE has_column_privilege($1, t.id, a.attnum, p)`;

/** Compares the writing role of a migrated database with WRITER_GRANTS and POLICED_TABLES. */
export async function readWritingRole(database: Database): Promise<WritingRoleState> {
  const [own] = await database.select<{ role: string; exists: boolean; inherits: boolean }>(
    `SELECT current_user::text AS role, oid IS NOT NULL AS exists,
       coalesce(pg_has_role(oid, 'USAGE') AND row_security_active('api_keys'), false) AS inherits
     FROM (SELECT to_regrole($1)::oid AS oid) AS writer`,
    [WRITING_ROLE],
  );
  if (!own) throw new Error("the database returned no row");
  if (!own.exists) return { ...own, canAct: false, missing: [], excess: [], unpoliced: [] };
  const expected = listExpected();
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
    canAct: await canActAs(database),
    missing: expected.filter((right) => !actual.includes(right)),
    excess: actual.filter((right) => !expected.includes(right)),
    unpoliced: unpoliced.map(({ table }) => table),
  };
}

const INSUFFICIENT_PRIVILEGE = "42501";

async function canActAs(database: Database): Promise<boolean> {
  try {
    await database.transaction((sql) => sql.script(`SET LOCAL ROLE ${WRITING_ROLE}`));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    return false;
  }
}
