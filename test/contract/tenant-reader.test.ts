import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAsTenant, type TenantReader } from "../../src/data/tenant/reader.js";
import { cte, own } from "../../src/data/tenant/sources.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { limitTime } from "../../src/time-limit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addBenchmark, addFactor, addFeed, addPrice, addTenantData } from "../support/fixtures.js";
import { makeKey, NOW } from "../support/server.js";

/** Whose rows a tenant sees of each table, when each of two tenants has a row and the platform has one. */
const VISIBLE: Record<Prisma.ModelName, readonly [table: string, rows: readonly (string | null)[]]> = {
  Organization: ["organizations", []],
  ApiKey: ["api_keys", []],
  ApiKeyUsage: ["api_key_usage", []],
  PlatformDay: ["platform_daily", []],
  Job: ["jobs", []],
  Announcement: ["announcements", []],
  AnnouncementDismissal: ["announcement_dismissals", []],
  KeyEvent: ["key_events", []],
  Facility: ["facilities", ["own"]],
  EmissionRecord: ["emission_records", ["own"]],
  ComplianceStatus: ["compliance_statuses", ["own"]],
  ComplianceDeadline: ["compliance_deadlines", ["own"]],
  CreditBatch: ["credit_batches", ["own"]],
  CreditSale: ["credit_sales", ["own"]],
  CreditRetirement: ["credit_retirements", ["own"]],
  Benchmark: ["benchmarks", ["shared"]],
  MarketPrice: ["market_prices", ["own", null]],
  EmissionFactor: ["emission_factors", ["own", null]],
  PriceIndex: ["price_indices", ["shared"]],
  PriceIndexWeight: ["price_index_weights", Array.from({ length: 5 }, () => "shared")],
  EmissionDay: ["emission_days", Array.from({ length: 7 }, () => "own")],
  Import: ["imports", ["own"]],
  BusinessMetric: ["business_metrics", ["own"]],
  AnomalyAcknowledgement: ["anomaly_acknowledgements", ["own"]],
  CctsPeriod: ["ccts_periods", ["own"]],
  CbamDeclaration: ["cbam_declarations", ["own"]],
  CbamImport: ["cbam_imports", ["own"]],
  ReplacedRecord: ["replaced_records", []],
  ExchangeFeed: ["exchange_feeds", ["shared"]],
  User: ["users", []],
  Membership: ["memberships", []],
  MemberHistory: ["member_history", []],
  Session: ["sessions", []],
  SpentRefreshToken: ["spent_refresh_tokens", []],
  Conversation: ["conversations", []],
  ChatMessage: ["chat_messages", []],
  SignInLink: ["sign_in_links", []],
  Invitation: ["invitations", []],
  NotificationPreferences: ["notification_preferences", []],
  Notification: ["notifications", []],
  Delivery: ["outbox", []],
  DeliveryTurn: ["delivery_turns", []],
  MailJob: ["mail_jobs", []],
  MailLink: ["mail_links", []],
  VerificationRequest: ["verification_requests", []],
  VerificationStatusChange: ["verification_status_changes", []],
  VerificationSnapshot: ["verification_snapshots", []],
  VerificationFinding: ["verification_findings", []],
  Certificate: ["certificates", []],
  CertificateNumber: ["certificate_numbers", []],
  SigningKey: ["signing_keys", []],
  PeriodLock: ["period_locks", []],
  AuditEntry: ["audit_entries", Array.from({ length: 23 }, () => "own")],
  AuditHead: ["audit_heads", []],
  AuditCheck: ["audit_checks", []],
  AuditPending: ["audit_pending", []],
};

let database: TestDatabase;
let ownId: string;
let otherId: string;
let tenant: TenantReader;

beforeAll(async () => {
  database = await openTestDatabase();
  const add = async (name: string) => {
    await addTenantData(database, { name, digits: 1, framework: "CDP" });
    await makeKey(database, name.toLowerCase());
    return (await database.prisma.organization.findUniqueOrThrow({ where: { slug: name.toLowerCase() } })).id;
  };
  ownId = await add("ALPHA");
  otherId = await add("BRAVO");
  await addPrice(database, null);
  await addFactor(database, null);
  await addBenchmark(database);
  await addFeed(database, null);
  await database.transaction(({ script }) => script(`CREATE VIEW ${VIEW} AS SELECT * FROM facilities`));
  tenant = readAsTenant(database, ownId, { now: NOW, inTime: limitTime(60_000) });
});
afterAll(() => database.close());

type Row = { organizationId?: string | null; organization_id?: string | null };
/** Whose a row is: `own`, the other's id, null for nobody's; `shared` in a table without owners. */
const ownerOf = ({ organizationId, organization_id: owner = organizationId }: Row) =>
  owner === undefined ? "shared" : owner === ownId ? "own" : owner;
/** The owners of these rows, in the order of VISIBLE. */
const owners = (rows: unknown) =>
  (rows as Row[]).map(ownerOf).toSorted((a, b) => String(b).localeCompare(String(a)));

async function countRows(name: Prisma.ModelName): Promise<number> {
  const [row] = await database.prisma.$queryRaw<{ count: bigint }[]>(
    Prisma.sql`SELECT count(*) FROM ${Prisma.raw(VISIBLE[name][0])}`,
  );
  return Number(row?.count);
}

describe("a tenant's SELECT", () => {
  it("has a source for each table whose rows a tenant sees, and for no other", () => {
    const tables = Object.values(VISIBLE).flatMap(([table, rows]) => (rows.length > 0 ? [table] : []));
    expect(Object.keys(own).toSorted()).toEqual(tables.toSorted());
  });

  it.each(Object.values(VISIBLE).filter(([, rows]) => rows.length > 0))(
    "reads from the source of %s the rows that the tenant sees, however it is nested",
    async (table, rows) => {
      const source = own[table as keyof typeof own];
      expect(owners(await tenant.query(Prisma.sql`SELECT * FROM ${source}`))).toEqual(rows);
      const nested = await tenant.query(
        Prisma.sql`SELECT * FROM (SELECT t.* FROM ${source} AS t WHERE EXISTS (SELECT 1 FROM ${source})) AS n`,
      );
      expect(nested).toHaveLength(rows.length);
    },
  );

  it("sees its rows only, on both sides of a join and of a union", async () => {
    const joined = await tenant.query(Prisma.sql`
      SELECT b.organization_id FROM ${own.credit_batches} AS b CROSS JOIN ${own.credit_sales} AS s
      UNION ALL SELECT organization_id FROM ${own.facilities} WHERE organization_id = ${otherId}::uuid`);
    expect(owners(joined)).toEqual(["own"]);
  });

  it("notes the tables of its sources as what was read", async () => {
    const reader = readAsTenant(database, ownId, { now: NOW, inTime: limitTime(60_000) });
    await reader.query(
      Prisma.sql`SELECT 'facilities', 1 FROM ${own.credit_batches} CROSS JOIN (SELECT 1 FROM ${own.credit_sales}) AS s`,
    );
    expect(reader.basis.tables).toEqual(new Set(["credit_batches", "credit_sales"]));
  });

  it("may read from its CTEs, subqueries, texts with names in them and functions that make rows", async () => {
    const seen = cte("seen");
    const found = await tenant.query(Prisma.sql`
      SELECT name, n, 'FROM "credit_sales", it''s /* text */ -- only' AS quoted FROM (
        WITH ${seen} AS MATERIALIZED (SELECT name FROM ${own.facilities}) SELECT name FROM ${seen}
      ) AS f CROSS JOIN LATERAL generate_series(1, ${2}::int) AS n (n) JOIN (VALUES (1), (2)) AS v (n) USING (n)`);
    expect(found).toHaveLength(2);
  });
});

/** A view of facilities, which no source names. */
const VIEW = "tenant_reader_view";

describe("what is not a tenant's SELECT", () => {
  const F = own.facilities.sql;

  it.each([
    // Names in any spelling.
    "SELECT * FROM facilities",
    "SELECT * FROM FACILITIES",
    'SELECT * FROM "facilities"',
    'SELECT * FROM U&"facilities"',
    'SELECT * FROM U&"f\\0061cilities"',
    "SELECT * FROM public.facilities",
    "SELECT * FROM PUBLIC . facilities",
    'SELECT * FROM "public"."facilities"',
    "SELECT * FROM _prisma_migrations",
    "SELECT * FROM pg_stat_activity",
    `SELECT * FROM ${VIEW}`,
    'SELECT * FROM "own organizations"',
    "SELECT * FROM api_keys",
    // In any place where a table can stand.
    `SELECT * FROM ${F} f JOIN EMISSION_RECORDS r ON r.facility_id = f.id`,
    `SELECT * FROM ${F} f, facilities`,
    `SELECT * FROM ${F} f, ${F} g`,
    `SELECT * FROM ${F} f JOIN ${F} g ON f.id = ANY(ARRAY[g.id, g.id]), facilities`,
    `SELECT * FROM ${F} f JOIN ${F} g ON f.limit = g . offset, facilities`,
    `SELECT * FROM ${F} f NATURAL JOIN facilities`,
    `SELECT * FROM ${F} f CROSS JOIN LATERAL facilities`,
    `SELECT * FROM (facilities CROSS JOIN ${F} f)`,
    `SELECT * FROM ((${F} f CROSS JOIN facilities))`,
    "SELECT * FROM ONLY facilities",
    "SELECT * FROM ONLY (facilities)",
    "SELECT * FROM facilities * AS f",
    "SELECT * FROM facilities TABLESAMPLE SYSTEM (100)",
    `SELECT * FROM ${F} f WHERE EXISTS (SELECT FROM facilities)`,
    `SELECT (SELECT count(*) FROM facilities) FROM ${F} f`,
    `SELECT * FROM ${F} f UNION ALL SELECT * FROM facilities`,
    `SELECT * FROM ${F} f UNION ALL TABLE facilities`,
    `SELECT * FROM (TABLE facilities) t CROSS JOIN ${F} f`,
    "TABLE facilities",
    `SELECT * FROM (WITH facilities AS (SELECT * FROM facilities) SELECT * FROM facilities) AS t CROSS JOIN ${F} f`,
    `SELECT * FROM ${F} f CROSS JOIN facilities WINDOW facilities AS (PARTITION BY 1)`,
    // Through functions that read what a text names.
    "SELECT * FROM query_to_xml('SELECT * FROM facilities', true, true, '')",
    // Hidden between other texts.
    "SELECT * FROM/**/facilities",
    `SELECT * FROM -- ${F}\n facilities`,
    `SELECT * FROM ${F} f /* ' */ JOIN facilities g ON true /* ' */`,
    `SELECT E'\\' FROM ${F} f JOIN facilities g ON true -- '`,
    `SELECT $$ ' $$ FROM ${F} f JOIN facilities g ON true WHERE $$ ' $$ <> ''`,
    `SELECT 1FROM facilities CROSS JOIN ${F} f`,
    `SELECT 1.FROM facilities CROSS JOIN ${F} f`,
    `SELECT 1_0. FROM facilities CROSS JOIN ${F} f`,
    `SELECT f.from FROM facilities CROSS JOIN ${F} f`,
    // Without any source.
    "SELECT 1",
  ])("is refused before it runs: %s", (statement) => {
    expect(() => tenant.query(Prisma.raw(statement))).toThrow("a tenant's statement is refused");
  });

  it.each([
    "DELETE FROM credit_sales",
    `DELETE FROM ${own.credit_sales.sql}`,
    "UPDATE facilities SET name = 'x'",
    "INSERT INTO facilities SELECT * FROM facilities",
    "TRUNCATE facilities",
    "WITH gone AS (DELETE FROM credit_sales RETURNING *) SELECT * FROM gone",
    ", gone AS (DELETE FROM credit_sales RETURNING *) SELECT * FROM gone",
    `SELECT 1 FROM ${F}; DELETE FROM credit_sales`,
    `SELECT * INTO copied FROM ${F}`,
    `SELECT * FROM ${F} FOR UPDATE`,
    "SELECT * FROM (DELETE FROM credit_sales RETURNING *) AS gone",
    `SELECT * FROM (WITH "cte gone" AS (DELETE FROM ${own.credit_sales.sql} RETURNING *) SELECT * FROM "cte gone") AS gone`,
    `SELECT * FROM ${F} CROSS JOIN (MERGE INTO credit_sales USING facilities ON true WHEN MATCHED THEN DELETE)`,
  ])("writes nothing: %s", async (statement) => {
    expect(() => tenant.query(Prisma.raw(statement))).toThrow("a tenant's statement is refused");
    expect(await countRows("CreditSale")).toBe(2);
  });
});

describe("the database", () => {
  it("has no table or view that is named like a source or a CTE", async () => {
    const found = await database.prisma
      .$queryRaw`SELECT relname FROM pg_class WHERE relname LIKE 'own %' OR relname LIKE 'cte %'`;
    expect(found).toEqual([]);
  });
});
