import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { type RowCache, readAsTenant, type TenantReader } from "../../src/data/tenant/reader.js";
import { cte, findSource, mine, own } from "../../src/data/tenant/sources.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { TABLES, VISIBILITY } from "../../src/generated/tables.js";
import { limitTime } from "../../src/time-limit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addBenchmark, addFactor, addFeed, addPrice, addTenantData } from "../support/fixtures.js";
import { makeKey, NOW } from "../support/server.js";

/** Owners of the rows that `own` has of a table: the tenant, nobody (null), or "shared" for a table without owners. */
const OWNERS_OF: Readonly<Record<(typeof VISIBILITY)[Prisma.ModelName], readonly (string | null)[]>> = {
  own: ["own"],
  "live own": ["own"],
  "own and mine": ["own"],
  "own and shared": ["own", null],
  shared: ["shared"],
  "live shared": ["shared"],
  mine: [],
  hidden: [],
};
const VISIBLE = Object.entries(VISIBILITY)
  .map(([model, visibility]) => [TABLES[model as Prisma.ModelName], OWNERS_OF[visibility]] as const)
  .filter(([, rows]) => rows.length > 0);

/** Tables of which `mine` has rows of the current user, with their number; another user has rows in all of them too. */
const MINE: Readonly<Record<string, number>> = {
  users: 1,
  // In both organizations.
  memberships: 2,
  sessions: 1,
  notification_preferences: 1,
  // One of the active organization, and one of none.
  notifications: 2,
  conversations: 1,
  chat_messages: 1,
  // One of another organization.
  verification_requests: 1,
  announcement_dismissals: 1,
};

let database: TestDatabase;
let ownId: string;
let otherId: string;
let userId: string;
let tenant: TenantReader;
let person: TenantReader;
/** Values in OWNERS columns that mark the tenant's rows. */
let ownMarks: ReadonlySet<unknown>;

beforeAll(async () => {
  database = await openTestDatabase();
  const add = async (name: string) => {
    await addTenantData(database, { name, digits: 1, framework: "CDP" });
    const slug = name.toLowerCase();
    const { id: keyId } = await makeKey(database, slug);
    await database.prisma.apiKeyUsage.create({ data: { keyId, hour: NOW } });
    const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    return { keyId, id };
  };
  const alpha = await add("ALPHA");
  const bravo = await add("BRAVO");
  [ownId, otherId] = [alpha.id, bravo.id];
  ownMarks = new Set([ownId, alpha.keyId, "alpha"]);
  await addPrice(database, null);
  await addFactor(database, null);
  await addBenchmark(database);
  await addFeed(database, null);
  await database.transaction(({ script }) => script(`CREATE VIEW ${VIEW} AS SELECT * FROM facilities`));
  userId = await addPeople();
  tenant = readAsTenant(database, ownId, TIME);
  person = readAsTenant(database, ownId, TIME, { userId });
});
afterAll(() => database.close());

const TIME = { now: NOW, inTime: limitTime(600_000) };

/**
 * Two members of the tenant, each with rows in all tables of people, in this organization and in another. Returns the id of
 * the first, who verifies the request of the other tenant.
 */
async function addPeople(): Promise<string> {
  const { prisma } = database;
  const { id: announcementId } = await prisma.announcement.create({
    data: { title: "News", body: "Text", level: "info", startsAt: NOW },
  });
  const { id: elsewhere } = await prisma.organization.create({ data: { slug: "charlie", name: "CHARLIE" } });
  const said = { createdAt: NOW, lastMessageAt: NOW };
  const session = { kind: "token", authenticatedAt: NOW, lastUsedAt: NOW } as const;
  const notice = { category: "credit", severity: "low", title: "x", body: "x", inApp: true, createdAt: NOW };
  const addPerson = async (email: string) => {
    const { id } = await prisma.user.create({
      data: {
        email,
        name: email,
        emailConfirmedAt: NOW,
        memberships: {
          create: [ownId, elsewhere].map((organizationId) => ({ organizationId, role: "owner" as const })),
        },
        sessions: {
          create: { ...session, tokenHash: hashKey(email, undefined), tokenExpiresAt: NOW, expiresAt: NOW },
        },
        notificationPreferences: { create: {} },
        notifications: {
          create: [ownId, elsewhere, null].map((organizationId, key) => ({
            ...notice,
            organizationId,
            key: `${key}`,
          })),
        },
        dismissals: { create: { announcementId, dismissedAt: NOW } },
      },
    });
    for (const organizationId of [ownId, elsewhere]) {
      const whose = { organizationId, userId: id };
      const times = { createdAt: NOW, updatedAt: NOW };
      await prisma.directoryUser.create({ data: { ...whose, ...times, userName: email } });
      const group = await prisma.directoryGroup.create({
        data: { organizationId, ...times, displayName: email },
      });
      await prisma.directoryMember.create({ data: { ...whose, groupId: group.id } });
      const conversation = await prisma.conversation.create({
        data: { ...whose, ...said, module: "emissions" },
      });
      await prisma.chatMessage.create({
        data: {
          ...whose,
          conversationId: conversation.id,
          position: 0,
          role: "user",
          said: "?",
          sentAt: NOW,
        },
      });
    }
    return id;
  };
  const verifierId = await addPerson("ada@example.org");
  await addPerson("ben@example.org");
  for (const organizationId of [ownId, otherId]) {
    await prisma.inventoryIssue.create({
      data: {
        organizationId,
        year: 2025,
        issue: 1,
        basis: "reported",
        statement: "{}",
        digest: "0".repeat(64),
        issuedAt: NOW,
      },
    });
    await prisma.invitation.create({
      data: {
        organizationId,
        email: "x@example.org",
        role: "viewer",
        tokenHash: hashKey(organizationId, undefined),
        expiresAt: NOW,
      },
    });
  }
  await prisma.verificationRequest.updateMany({
    where: { organizationId: otherId },
    data: {
      verifierId,
      verifierOrganizationId: elsewhere,
      verifierAcceptedAt: NOW,
      verifierConfirmedAt: NOW,
    },
  });
  return verifierId;
}

type Row = Readonly<Record<string, unknown>>;
/** Columns that identify a row's owner; the rows of a table without any are shared. */
const OWNERS = ["organizationId", "organization_id", "chain", "key_id", "slug"];
/** Returns a row's owner: "own", the mark of another tenant, null for nobody, or "shared". */
function ownerOf(row: Row): unknown {
  const column = OWNERS.find((name) => name in row);
  if (column === undefined) return "shared";
  return ownMarks.has(row[column]) ? "own" : row[column];
}
/** Returns the distinct owners of rows, in the order of OWNERS_OF. */
const owners = (rows: unknown) => [
  ...new Set((rows as Row[]).map(ownerOf).toSorted((a, b) => String(b).localeCompare(String(a)))),
];

async function countRows(name: Prisma.ModelName): Promise<number> {
  const [row] = await database.prisma.$queryRaw<{ count: bigint }[]>(
    Prisma.sql`SELECT count(*) FROM ${Prisma.raw(TABLES[name])}`,
  );
  return Number(row?.count);
}

describe("a tenant's SELECT", () => {
  it("shares with every tenant only reference data and the platform's announcements", () => {
    const shared = Object.entries(VISIBILITY).filter(([, visibility]) => visibility.includes("shared"));
    expect(shared.map(([model]) => model).toSorted()).toEqual([
      "Announcement",
      "Benchmark",
      "EmissionFactor",
      "ExchangeFeed",
      "MarketPrice",
      "PriceIndex",
      "PriceIndexWeight",
    ]);
  });

  it("has a source for each table whose rows a tenant sees, and for no other", () => {
    expect(Object.keys(own).toSorted()).toEqual(VISIBLE.map(([table]) => table).toSorted());
  });

  it.each(VISIBLE)(
    "reads from the source of %s the rows that the tenant sees, at any nesting",
    async (table, rows) => {
      const source = own[table as keyof typeof own];
      const seen = await tenant.query(Prisma.sql`SELECT * FROM ${source}`);
      expect(owners(seen)).toEqual(rows);
      const nested = await tenant.query(
        Prisma.sql`SELECT * FROM (SELECT t.* FROM ${source} AS t WHERE EXISTS (SELECT 1 FROM ${source})) AS n`,
      );
      expect(nested).toHaveLength((seen as Row[]).length);
    },
  );

  it("sees only its own rows, on both sides of joins and unions", async () => {
    const joined = await tenant.query(Prisma.sql`
      SELECT b.organization_id FROM ${own.credit_batches} AS b CROSS JOIN ${own.credit_sales} AS s
      UNION ALL SELECT organization_id FROM ${own.facilities} WHERE organization_id = ${otherId}::uuid`);
    expect(owners(joined)).toEqual(["own"]);
  });

  it("records the tables of its sources as read", async () => {
    const reader = readAsTenant(database, ownId, TIME);
    await reader.query(
      Prisma.sql`SELECT 'facilities', 1 FROM ${own.credit_batches} CROSS JOIN (SELECT 1 FROM ${own.credit_sales}) AS s`,
    );
    expect(reader.basis.tables).toEqual(new Set(["credit_batches", "credit_sales"]));
  });

  it("may read from CTEs, subqueries, strings that contain names, and functions that return rows", async () => {
    const seen = cte("seen");
    const found = await tenant.query(Prisma.sql`
      SELECT name, n, 'FROM "credit_sales", it''s /* text */ -- only' AS quoted FROM (
        WITH ${seen} AS MATERIALIZED (SELECT name FROM ${own.facilities}) SELECT name FROM ${seen}
      ) AS f CROSS JOIN LATERAL generate_series(1, ${2}::int) AS n (n) JOIN (VALUES (1), (2)) AS v (n) USING (n)`);
    expect(found).toHaveLength(2);
  });
});

/** Returns a source's columns; the source must have a row. */
async function columnsOf(source: Prisma.Sql): Promise<string[]> {
  const [row] = await person.query<Row>(Prisma.sql`SELECT * FROM ${source} LIMIT 1`);
  expect([source.sql, row]).toEqual([source.sql, expect.anything()]);
  return Object.keys(row ?? {});
}

describe("the sources of the signed-in user", () => {
  it.each(Object.entries(MINE))("contain only that user's rows of %s: %i", async (table, count) => {
    const rows = await person.query<Row>(Prisma.sql`SELECT * FROM ${mine[table as keyof typeof mine]}`);
    expect(rows.map((row) => row["user_id"] ?? row["verifier_id"] ?? row["id"])).toEqual(
      Array.from({ length: count }, () => userId),
    );
  });

  it("are complete", () => {
    expect(Object.keys(mine).toSorted()).toEqual(Object.keys(MINE).toSorted());
  });

  it("have only verification requests of other organizations", async () => {
    const rows = await person.query<Row>(Prisma.sql`SELECT * FROM ${mine.verification_requests} AS r`);
    expect(rows).toMatchObject([{ organization_id: otherId, verifier_id: userId }]);
  });

  it("have nothing for an API key", async () => {
    for (const source of Object.values(mine)) {
      expect(await tenant.query(Prisma.sql`SELECT * FROM ${source}`)).toEqual([]);
    }
  });
});

describe("the sources", () => {
  const sources = () => [...Object.values(own), ...Object.values(mine)];

  it("have no secret columns except the user's own webhook secret, which is encrypted", async () => {
    const secrets: string[] = [];
    for (const source of sources()) {
      const table = findSource(source.sql)?.table ?? "";
      // These hashes belong to a chain, and are not secret.
      if (table.startsWith("audit_")) continue;
      const columns = await columnsOf(source);
      secrets.push(
        ...columns.filter((name) => /^(?!has_).*(?:hash|pepper|password|secret|token)/.test(name)),
      );
    }
    expect(secrets).toEqual(["webhook_secret"]);
  });

  it("are cached if the database announces every change of their table, and never for one user", async () => {
    const found = await database.prisma.$queryRaw<{ table: string }[]>`
      SELECT DISTINCT tgrelid::regclass::text AS "table" FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
      WHERE proname IN ('announce_changes', 'announce_changes_to_all')`;
    const announced = found.map(({ table }) => table);
    const asked: string[] = [];
    const cache = {
      getOrCompute: (key: string) => {
        asked.push(key);
        return [];
      },
    } as unknown as RowCache;
    const caching = readAsTenant(database, ownId, TIME, { userId, cache });
    for (const source of sources()) {
      const before = asked.length;
      await caching.query(Prisma.sql`SELECT 1 FROM ${source}`);
      const { table = "", isCached } = findSource(source.sql) ?? {};
      expect([source.sql, asked.length - before]).toEqual([source.sql, isCached ? 1 : 0]);
      if (isCached) expect(announced).toContain(table);
    }
    expect(Object.values(mine).filter(({ sql }) => findSource(sql)?.isCached)).toEqual([]);
    expect(asked.length).toBeGreaterThan(15);
  });
});

/** A view of facilities that is not a source. */
const VIEW = "tenant_reader_view";

describe("SQL that is not a tenant's SELECT", () => {
  const F = own.facilities.sql;

  it.each([
    // Names in different spellings.
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
    'SELECT * FROM "own users"',
    'SELECT * FROM "mine api_keys"',
    "SELECT * FROM api_keys",
    "SELECT * FROM sessions",
    // Everywhere a table name is allowed.
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
    // Functions that run a query in a string.
    "SELECT * FROM query_to_xml('SELECT * FROM facilities', true, true, '')",
    // Hidden between comments and strings.
    "SELECT * FROM/**/facilities",
    `SELECT * FROM -- ${F}\n facilities`,
    `SELECT * FROM ${F} f /* ' */ JOIN facilities g ON true /* ' */`,
    `SELECT E'\\' FROM ${F} f JOIN facilities g ON true -- '`,
    `SELECT $$ ' $$ FROM ${F} f JOIN facilities g ON true WHERE $$ ' $$ <> ''`,
    `SELECT 1FROM facilities CROSS JOIN ${F} f`,
    `SELECT 1.FROM facilities CROSS JOIN ${F} f`,
    `SELECT 1_0. FROM facilities CROSS JOIN ${F} f`,
    `SELECT f.from FROM facilities CROSS JOIN ${F} f`,
    // No source at all.
    "SELECT 1",
  ])("is refused before it runs: %s", (statement) => {
    expect(() => tenant.query(Prisma.raw(statement))).toThrow("invalid statement for a tenant");
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
    expect(() => tenant.query(Prisma.raw(statement))).toThrow("invalid statement for a tenant");
    expect(await countRows("CreditSale")).toBe(2);
  });
});

describe("the database", () => {
  it("has no table or view named like a source or a CTE", async () => {
    const found = await database.prisma
      .$queryRaw`SELECT relname FROM pg_class WHERE relname ~ '^(own|mine|cte) '`;
    expect(found).toEqual([]);
  });
});
