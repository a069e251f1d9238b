import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitTime } from "../../src/data/database/time-limit.js";
import { readAsTenant, type TenantReader } from "../../src/data/tenant/reader.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addBenchmark, addFeed, addPrice, addTenantData } from "../support/fixtures.js";
import { makeKey, NOW } from "../support/server.js";

/** Of the rows in the database (one of each tenant, and one of the platform) those that a tenant sees. */
const VISIBLE: Record<Prisma.ModelName, readonly [table: string, rows: readonly (string | null)[]]> = {
  Organization: ["organizations", []],
  ApiKey: ["api_keys", []],
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
  EmissionDay: ["emission_days", Array.from({ length: 7 }, () => "own")],
  Import: ["imports", []],
  ReplacedRecord: ["replaced_records", []],
  ExchangeFeed: ["exchange_feeds", ["shared"]],
};

let database: TestDatabase;
let own: string;
let other: string;
let tenant: TenantReader;

beforeAll(async () => {
  database = await openTestDatabase();
  const add = async (name: string) => {
    await addTenantData(database, { name, digits: 1, framework: "CDP" });
    await makeKey(database, name.toLowerCase());
    return (await database.prisma.organization.findUniqueOrThrow({ where: { slug: name.toLowerCase() } })).id;
  };
  own = await add("ALPHA");
  other = await add("BRAVO");
  await addPrice(database, null);
  await addBenchmark(database);
  await addFeed(database, null);
  tenant = readAsTenant(database, own, { now: NOW, inTime: limitTime(60_000) });
});
afterAll(() => database.close());

type Row = { organizationId?: string | null; organization_id?: string | null };
/** Whose a row is: `own`, the other's id, null for nobody's; `shared` in a table without owners. */
const ownerOf = ({ organizationId, organization_id: owner = organizationId }: Row) =>
  owner === undefined ? "shared" : owner === own ? "own" : owner;
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
  it.each(Object.values(VISIBLE))(
    "sees of %s what the tenant may see, however it is nested",
    async (table, rows) => {
      const found = await tenant.query(Prisma.sql`SELECT * FROM ${Prisma.raw(table)}`);
      expect(owners(found)).toEqual(rows);
      const nested = await tenant.query(
        Prisma.sql`SELECT * FROM (SELECT t.* FROM ${Prisma.raw(table)} AS t WHERE EXISTS (SELECT 1 FROM ${Prisma.raw(table)})) AS n`,
      );
      expect(nested).toHaveLength(rows.length);
    },
  );

  it("sees its rows only, on both sides of a join and of a union", async () => {
    const joined = await tenant.query(Prisma.sql`
      SELECT b.organization_id FROM credit_batches AS b CROSS JOIN credit_sales AS s
      UNION ALL SELECT organization_id FROM facilities WHERE organization_id = ${other}::uuid`);
    expect(owners(joined)).toEqual(["own"]);
  });

  it.each([
    "DELETE FROM credit_sales",
    "UPDATE facilities SET name = 'x'",
    "TRUNCATE facilities",
    "WITH gone AS (DELETE FROM credit_sales RETURNING *) SELECT * FROM gone",
    ", gone AS (DELETE FROM credit_sales RETURNING *) SELECT * FROM gone",
  ])("can be nothing else: %s", (statement) => {
    expect(() => tenant.query(Prisma.sql`${Prisma.raw(statement)}`)).toThrow(
      "a tenant's query is one SELECT",
    );
  });

  it.each([
    "SELECT 1 FROM facilities; DELETE FROM credit_sales",
    "SELECT * FROM (DELETE FROM credit_sales RETURNING *) AS gone",
    "SELECT * FROM (WITH gone AS (DELETE FROM credit_sales RETURNING *) SELECT * FROM gone) AS gone",
  ])("holds nothing else: %s", async (statement) => {
    await expect(tenant.query(Prisma.sql`${Prisma.raw(statement)}`)).rejects.toThrow();
    expect(await countRows("CreditSale")).toBe(2);
  });

  it("has to name a table", async () => {
    expect(() => tenant.query(Prisma.sql`SELECT 1`)).toThrow("a tenant's query names no table of the schema");
  });
});
