import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadText } from "../../src/actions/bundle/load.js";
import { SERVED_TABLES } from "../../src/data/database/schema/serving-role.js";
import { TEXT_LIMITS } from "../../src/domain/texts/text-limits.js";
import { TABLES } from "../../src/generated/tables.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addPrice, addTenantData } from "../support/fixtures.js";
import { makeKey, NOW } from "../support/server.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const read = <Row>(sql: string, values: unknown[] = []) => database.select<Row>(sql, values);

interface Column {
  table: string;
  column: string;
  type: string;
}

/** Lists the columns of the gateway's tables with one of the types. */
const listColumns = (types: string[]) =>
  read<Column>(
    `SELECT c.relname::text AS table, a.attname::text AS column, a.atttypid::regtype::text AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
       AND a.atttypid = ANY ($1::regtype[]) ORDER BY 1, 2`,
    [types],
  );

/** Returns which values (as SQL) pass a column's CHECK with this name; null if it has none. */
async function passes({ table, column, type }: Column, check: string, values: string[]) {
  const [constraint] = await read<{ condition: string }>(
    "SELECT pg_get_expr(conbin, conrelid) AS condition FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2 AND contype = 'c'",
    [table, `${table}_${column}_${check}`],
  );
  if (!constraint) return null;
  const rows = await read<{ passes: boolean }>(
    `SELECT ${constraint.condition} AS passes FROM unnest(ARRAY[${values.join(", ")}]::${type}[]) AS v (${column})`,
  );
  return rows.map((row) => row.passes);
}

describe("every function of the database", () => {
  it("searches tables in the gateway's schema, then in the temporary one", async () => {
    const functions = await read<{ name: string; config: string[] | null }>(
      "SELECT oid::regprocedure::text AS name, proconfig AS config FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    );
    expect(functions.length).toBeGreaterThan(10);
    const isPinned = /^search_path=(pg_catalog, (public, )?|public, pg_catalog, )pg_temp$/;
    expect(functions.filter(({ config }) => !config?.some((setting) => isPinned.test(setting)))).toEqual([]);
  });
});

describe("every trigger of the database", () => {
  it("fires whatever session_replication_role is, or announces replicated rows", async () => {
    const triggers = await read<{ name: string; state: string }>(
      "SELECT tgname::text AS name, tgenabled::text AS state FROM pg_trigger WHERE NOT tgisinternal",
    );
    expect(triggers.length).toBeGreaterThan(50);
    const expected = (name: string) => (name.endsWith("_announce_row") ? "R" : "A");
    expect(triggers.filter(({ name, state }) => state !== expected(name))).toEqual([]);
  });

  it("announces every table that serving reads and caches, by statement and by row", async () => {
    const announced = await read<{ table: string; levels: string }>(
      `SELECT tgrelid::regclass::text AS table, string_agg(DISTINCT (tgtype & 1)::text, ' ') AS levels FROM pg_trigger
       WHERE tgfoid::regproc::text LIKE 'announce_%' GROUP BY 1`,
    );
    // Read for each request.
    const uncached: string[] = [
      TABLES.KeyEvent,
      TABLES.ApiKeyUsage,
      TABLES.AuditEntry,
      TABLES.AuditHead,
      TABLES.AuditCheck,
      TABLES.ChangeSet,
      TABLES.RemovedRow,
      TABLES.PlatformDay,
      TABLES.Job,
      TABLES.Identity,
      TABLES.SsoEvent,
      TABLES.DirectoryUser,
      TABLES.DirectoryGroup,
      TABLES.DirectoryMember,
      TABLES.Announcement,
      TABLES.AnnouncementDismissal,
      TABLES.SpentRefreshToken,
      TABLES.SignInLink,
      TABLES.TotpSecret,
      TABLES.Passkey,
      TABLES.RecoveryCode,
      TABLES.SpentToken,
      TABLES.Invitation,
      TABLES.MemberHistory,
      TABLES.VerificationRequest,
      TABLES.VerificationStatusChange,
      TABLES.VerificationSnapshot,
      TABLES.VerificationFinding,
      TABLES.Certificate,
      TABLES.SigningKey,
      TABLES.NotificationPreferences,
      TABLES.Notification,
      TABLES.Delivery,
      TABLES.DeliveryTurn,
      TABLES.MailJob,
      TABLES.MailLink,
      TABLES.AdditionLink,
      TABLES.IdempotencyKey,
      TABLES.Conversation,
      TABLES.ChatMessage,
      TABLES.WebhookEndpoint,
      TABLES.WebhookProgress,
      TABLES.WebhookDelivery,
    ];
    const tables = Object.values(TABLES).filter(
      (table) => SERVED_TABLES.includes(table) && !uncached.includes(table),
    );
    expect(announced.map(({ table }) => table).toSorted()).toEqual(tables.toSorted());
    expect(announced.filter(({ levels }) => levels !== "0 1")).toEqual([]);
  });

  it("detects a change of any column of a key except its last use, creator and version", async () => {
    const unnoticed = await read<{ trigger: string; columns: string[] }>(
      `SELECT tgname::text AS trigger, array_agg(attname::text ORDER BY attname) AS columns
       FROM pg_trigger JOIN pg_attribute ON attrelid = tgrelid AND attnum > 0 AND NOT attisdropped
       WHERE tgrelid = 'api_keys'::regclass AND NOT tgisinternal AND tgtype & 3 = 1 AND NOT attnum = ANY (tgattr::int2[])
       GROUP BY 1 ORDER BY 1`,
    );
    expect(unnoticed).toEqual([
      { trigger: "api_keys_announce_change", columns: ["created_by", "last_used_at", "version"] },
      { trigger: "api_keys_record", columns: ["created_by", "last_used_at", "version"] },
    ]);
  });
});

describe("every date and time of the database", () => {
  it("has a year of four digits in ISO 8601", async () => {
    const columns = await listColumns(["date", "timestamp", "timestamptz"]);
    expect(columns.length).toBeGreaterThan(14);
    for (const column of columns) {
      const refused = ["infinity", "-infinity", "10000-01-01 00:00:00Z", "0001-12-31 00:00:00Z BC"];
      const values = [...refused, "9999-12-31 00:00:00Z"].map((text) => `'${text}'`);
      const found = await passes(column, "range", values);
      expect([column, found]).toEqual([column, [false, false, false, false, true]]);
    }
  });

  it("may not be infinity, even for a role that may only write a key's last use", async () => {
    await addTenantData(database, { name: "ALPHA", digits: 1, framework: "CDP" });
    await makeKey(database, "alpha");
    const write = database.transaction(({ execute }) =>
      execute("UPDATE api_keys SET last_used_at = 'infinity'"),
    );
    await expect(write).rejects.toThrow("api_keys_last_used_at_range");
  });
});

/** Columns with a limit other than that of names. */
const LIMITS: Readonly<Record<string, number>> = {
  reference: TEXT_LIMITS.reference,
  code: TEXT_LIMITS.reference,
  category: TEXT_LIMITS.category,
  source: TEXT_LIMITS.source,
  title: TEXT_LIMITS.title,
  source_url: TEXT_LIMITS.url,
  target_source_url: TEXT_LIMITS.url,
  note: TEXT_LIMITS.note,
  evidence: TEXT_LIMITS.note,
  purpose: TEXT_LIMITS.note,
  reason: TEXT_LIMITS.note,
  base_year_reason: TEXT_LIMITS.note,
  recalculation_policy: TEXT_LIMITS.note,
  file: TEXT_LIMITS.source,
  email: TEXT_LIMITS.email,
  email_address: TEXT_LIMITS.email,
  webhook_url: TEXT_LIMITS.url,
  url: TEXT_LIMITS.url,
  issuer: TEXT_LIMITS.url,
  body: TEXT_LIMITS.body,
  verifier_email: TEXT_LIMITS.email,
  text: TEXT_LIMITS.finding,
  statement: TEXT_LIMITS.statement,
  user_agent: TEXT_LIMITS.userAgent,
  finding_id: TEXT_LIMITS.anomalyId,
  said: TEXT_LIMITS.chatMessage,
  user_name: TEXT_LIMITS.email,
  external_id: TEXT_LIMITS.email,
  display_name: TEXT_LIMITS.email,
};
const limitOf = (column: string) => LIMITS[column] ?? TEXT_LIMITS.name;
/** Strings limited in other ways: by format, by the limits of files, or by the columns they derive from. */
const LIMITED_OTHERWISE = [
  "activity_mappings.text",
  "activity_mappings.unit_key",
  "users.password_hash",
  "users.webauthn_handle",
  "totp_secrets.secret_sealed",
  "passkeys.credential_id",
  "passkeys.public_key",
  "recovery_codes.code_hash",
  "spent_tokens.hash",
  "sessions.token_hash",
  "sessions.refresh_hash",
  "spent_refresh_tokens.hash",
  "sign_in_links.token_hash",
  "invitations.token_hash",
  "invitations.mail_token_hash",
  "verification_requests.verifier_link_hash",
  "notification_preferences.webhook_secret",
  "notifications.category",
  "notifications.severity",
  "sso_connections.client_secret_sealed",
  "sso_connections.default_role",
  "sso_connections.missing_email_verified",
  "sso_connections.second_factor",
  "identities.subject",
  "sso_events.reason",
  "sessions.sso_sid_hash",
  "domains.domain",
  "domains.token",
  "webhook_endpoints.secret",
  "webhook_endpoints.previous_secret",
  "webhook_endpoints.format",
  "webhook_endpoints.disabled_reason",
  "webhook_progress.place",
  "webhook_deliveries.status",
  "outbox.channel",
  "delivery_turns.channel",
  "delivery_turns.subject",
  "addition_links.kind",
  "addition_links.token_hash",
  "mail_links.kind",
  "mail_links.token_hash",
  "mail_jobs.kind",
  "mail_jobs.token_sealed",
  "idempotency_keys.caller",
  "idempotency_keys.location",
  "idempotency_keys.etag",
  "idempotency_keys.content_type",
  "announcements.level",
  "audit_entries.action",
  "audit_entries.actor_type",
  "audit_entries.entry",
  "audit_entries.prev_hash",
  "audit_entries.hash",
  "audit_heads.hash",
  "audit_checks.hash",
  "change_sets.head",
  "organizations.slug",
  "api_keys.hash",
  "verification_snapshots.digest",
  "facilities.electricity_market",
  "energy_instruments.market",
  "reduction_targets.actions",
  "inventory_issues.statement",
  "inventory_issues.digest",
  "certificates.number",
  "certificates.digest",
  "certificates.signature",
  "certificates.kid",
  "certificates.superseded_by",
  "signing_keys.kid",
  "signing_keys.public_key",
  "ccts_periods.financial_year",
  "cbam_imports.cn_code",
  "key_events.kind",
  "emission_days.part",
  "emission_days.subpart",
];

describe("every text of the database", () => {
  it("has at most as many characters as src/domain/texts/text-limits.ts allows", async () => {
    const columns = (await listColumns(["text", "varchar"])).filter(
      ({ table, column }) => !LIMITED_OTHERWISE.includes(`${table}.${column}`),
    );
    expect(columns.length).toBeGreaterThan(20);
    for (const column of columns) {
      const limit = limitOf(column.column);
      const found = await passes(column, "length", [`repeat('😀', ${limit})`, `repeat('x', ${limit + 1})`]);
      expect([column, found]).toEqual([column, [true, false]]);
    }
  });

  it("fits into each of its indexes, whatever its characters", async () => {
    const indexes = await read<{ name: string; columns: string[] }>(
      `SELECT indexrelid::regclass::text AS name, array_agg(attname::text) AS columns
       FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey::int2[])
       WHERE atttypid = 'text'::regtype AND indrelid::regclass::text <> '_prisma_migrations' GROUP BY 1`,
    );
    expect(indexes.length).toBeGreaterThan(5);
    const bytes = (columns: string[]) => columns.reduce((sum, column) => sum + 4 * limitOf(column), 0);
    expect(indexes.filter(({ columns }) => bytes(columns) > 2_600)).toEqual([]);
  });

  it("loads at its maximum length, and is recognized again", async () => {
    // Not compressible: PostgreSQL would shorten repetitive values.
    let seed = 7;
    const long = (length: number) =>
      Array.from({ length }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return String.fromCodePoint(0x20000 + (seed % 40_000));
      }).join("");
    const [name, reference] = [long(TEXT_LIMITS.name), long(TEXT_LIMITS.reference)];
    const source = long(TEXT_LIMITS.source);
    const tenant = {
      organization: { slug: "long", name },
      facilities: [{ code: reference, name, country: "IN" }],
      emission_records: [
        {
          reference,
          facility: reference,
          category: long(TEXT_LIMITS.category),
          source,
          recorded_on: "2026-11-01",
          scope: "scope_1",
          co2e_tonnes: 1,
        },
      ],
      deadlines: [long(TEXT_LIMITS.title), long(TEXT_LIMITS.title)].map((title) => ({
        framework: "CDP",
        title,
        due_date: "2026-12-31",
        status: name,
      })),
      credit_batches: [
        {
          reference,
          credit_type: name,
          quantity: 9,
          sold: 1,
          retirements: [{ reference, quantity: 1, retired_on: "2026-01-01", beneficiary: name }],
        },
      ],
      market_prices: [
        { credit_type: name, exchange: long(TEXT_LIMITS.name), price: 1, currency: "EUR", source },
      ],
    };
    const shared = {
      benchmarks: [source, long(TEXT_LIMITS.source)].map((publication) => ({
        sector: name,
        unit: reference,
        region: name,
        period: name,
        source: publication,
        source_url: `https://example.org/${"x".repeat(1_900)}`,
        source_year: 2024,
      })),
    };
    for (const bundle of [tenant, shared]) {
      const load = async () =>
        Object.values((await loadText(database, "bundle", JSON.stringify(bundle), NOW)).sections);
      for (const counts of await load()) expect(counts).toMatchObject({ updated: 0, unchanged: 0 });
      for (const counts of await load()) expect(counts).toMatchObject({ added: 0, updated: 0 });
    }
  });

  it("is refused by the database if it is longer, for every role", async () => {
    await expect(addPrice(database, null, { source: "x".repeat(TEXT_LIMITS.source + 1) })).rejects.toThrow();
    const rename = database.transaction(({ execute }) =>
      execute(`UPDATE organizations SET name = repeat('x', 20000000)`),
    );
    await expect(rename).rejects.toThrow("organizations_name_length");
  });
});
