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
  facilities: {
    insert: ["id", "organization_id", "code", "name", "country", "import_id"],
    update: ["name", "country", "archived_at"],
    mayDelete: true,
  },
  emission_records: {
    insert: [
      ...["id", "organization_id", "reference", "recorded_on", "scope", "co2e_tonnes", "facility_id"],
      ...["category", "source", "import_id", "created_by", "activity", "factor_id", "calculation"],
      ...["market_based_tonnes", "note"],
    ],
    update: [
      ...[
        "recorded_on",
        "scope",
        "co2e_tonnes",
        "facility_id",
        "category",
        "source",
        "import_id",
        "deleted_at",
      ],
      ...["created_by", "activity", "factor_id", "calculation", "market_based_tonnes", "note"],
    ],
    mayDelete: true,
  },
  imports: {
    insert: ["id", "organization_id", "file", "imported_at"],
    update: ["added", "updated", "unchanged", "facilities_created", "undone_at"],
  },
  replaced_records: {
    insert: [
      ...["organization_id", "import_id", "record_id", "recorded_on", "scope", "co2e_tonnes", "facility_id"],
      ...["category", "source", "previous_import_id", "details"],
    ],
    update: [
      ...["recorded_on", "scope", "co2e_tonnes", "facility_id", "category", "source", "previous_import_id"],
      "details",
    ],
    mayDelete: true,
  },
  business_metrics: {
    insert: ["id", "organization_id", "name", "unit", "month", "value"],
    update: ["unit", "value"],
  },
  anomaly_acknowledgements: {
    insert: ["organization_id", "finding_id", "value", "note", "acknowledged_by", "acknowledged_at"],
    update: ["value", "note", "acknowledged_by", "acknowledged_at"],
  },
  compliance_statuses: {
    insert: ["organization_id", "framework", "status", "last_updated", "note"],
    update: ["status", "last_updated", "note"],
  },
  compliance_deadlines: {
    insert: [
      ...["id", "organization_id", "framework", "title", "due_date", "status", "source", "source_url"],
      ...["recurrence", "catalogue_id", "day_of_month"],
    ],
    update: ["title", "due_date", "status", "completed_on", "evidence", "recurrence", "day_of_month"],
  },
  ccts_periods: {
    insert: [
      ...["id", "organization_id", "entity", "financial_year", "target_gei", "target_source_url"],
      ...["achieved_gei", "output", "average_price"],
    ],
    update: ["target_gei", "target_source_url", "achieved_gei", "output", "average_price"],
  },
  cbam_declarations: {
    insert: ["id", "organization_id", "year"],
    update: ["year", "status", "certificates_held", "assessment"],
  },
  cbam_imports: {
    insert: [
      ...["id", "organization_id", "declaration_id", "quarter", "cn_code", "country", "mass_t", "basis"],
      ...["route", "good", "direct_tco2e_per_t", "indirect_tco2e_per_t", "precursors", "reduction_tco2e"],
    ],
    mayDelete: true,
  },
  credit_batches: { insert: ["id", "organization_id", "reference", "credit_type", "vintage", "quantity"] },
  credit_sales: {
    insert: [
      ...["id", "organization_id", "batch_id", "reference", "quantity", "sold_on", "buyer", "price"],
      "currency",
    ],
  },
  credit_retirements: {
    insert: [
      ...["id", "organization_id", "batch_id", "reference", "quantity", "retired_on", "beneficiary"],
      ...["purpose", "ccts_period_id"],
    ],
  },
  emission_factors: {
    insert: [
      ...["id", "organization_id", "activity", "region", "scope", "category", "gas", "factor", "unit"],
      ...["dimension", "qualifier", "source", "source_url", "source_year", "verified"],
    ],
  },
  market_prices: {
    insert: [
      ...["id", "organization_id", "credit_type", "exchange", "price", "currency", "source", "source_url"],
      ...["as_of", "recorded_at", "region", "contract", "unit", "statutory_until"],
    ],
  },
};

/** The tables whose policies keep the writing role to the rows of one organization. */
export const POLICED_TABLES: readonly Table[] = [
  ...(["organizations", "memberships", "invitations", "api_keys", "sessions", "facilities"] as const),
  ...(["emission_records", "imports", "replaced_records", "business_metrics"] as const),
  ...(["compliance_statuses", "compliance_deadlines", "ccts_periods"] as const),
  ...(["cbam_declarations", "cbam_imports"] as const),
  ...(["credit_batches", "credit_sales", "credit_retirements", "emission_factors"] as const),
  "market_prices",
  "anomaly_acknowledgements",
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

/** Every right that the writing role should have; an import stages its file in temporary tables of the database. */
function listExpected(databaseName: string): string[] {
  const readable = Object.values(TABLES).filter((table) => table !== TABLES.AuditPending);
  const written = Object.entries(WRITER_GRANTS).flatMap(
    ([table, { insert = [], update = [], mayDelete }]) => [
      ...insert.map((column) => `INSERT (${column}) ON ${table}`),
      ...update.map((column) => `UPDATE (${column}) ON ${table}`),
      ...(mayDelete ? [`DELETE ON ${table}`] : []),
    ],
  );
  return [
    ...readable.map((table) => `SELECT ON ${table}`),
    ...written,
    `TEMPORARY ON DATABASE ${databaseName}`,
  ];
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
  WHERE has_column_privilege($1, t.id, a.attnum, p)
  UNION ALL
  SELECT 'TEMPORARY ON DATABASE ' || quote_ident(current_database())
  WHERE has_database_privilege($1, current_database(), 'TEMPORARY')`;

/** Compares the writing role of a migrated database with WRITER_GRANTS and POLICED_TABLES. */
export async function readWritingRole(database: Database): Promise<WritingRoleState> {
  const [found] = await database.select<{
    role: string;
    databaseName: string;
    exists: boolean;
    inherits: boolean;
  }>(
    `SELECT current_user::text AS role, quote_ident(current_database()) AS "databaseName", oid IS NOT NULL AS exists,
       coalesce(pg_has_role(oid, 'USAGE') AND row_security_active('api_keys'), false) AS inherits
     FROM (SELECT to_regrole($1)::oid AS oid) AS writer`,
    [WRITING_ROLE],
  );
  if (!found) throw new Error("the database returned no row");
  const { databaseName, ...own } = found;
  if (!own.exists) return { ...own, canAct: false, missing: [], excess: [], unpoliced: [] };
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
