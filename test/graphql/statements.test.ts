import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/access/secrets/api-key.js";
import { addFramework, addRecord } from "../support/fixtures.js";
import { addGraph, type GraphSize } from "../support/graph-fixtures.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { recordStatements, type Statement } from "../support/statements.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Creates a tenant whose key is cached and its first use recorded. The next is only recorded after the clock moves. */
async function usedTenant(overrides: Parameters<typeof newTenant>[1] = {}) {
  const tenant = await newTenant(gateway, overrides);
  await tenant.ask("{ organization { slug } }");
  const { apiKey } = gateway.database.prisma;
  const lastUse = async () => (await apiKey.findUniqueOrThrow({ where: { id: tenant.keyId } })).lastUsedAt;
  await expect.poll(lastUse).not.toBeNull();
  return tenant;
}

async function tenantOf(size: Partial<GraphSize>) {
  const tenant = await usedTenant();
  const none = { records: 0, frameworks: 0, batches: 0, instruments: 0, children: 0 };
  await addGraph(gateway.database, tenant.slug, { ...none, ...size });
  return tenant;
}

/** Runs an operation; returns its data and statements. */
async function observe(tenant: { dataOf: (query: string) => Promise<unknown> }, query: string) {
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its data
  const { answer: data, statements } = await recordStatements<any>(() => tenant.dataOf(query));
  return { data, statements };
}

const textsOf = (statements: readonly Statement[]) => statements.map(({ text }) => text);

describe("recordStatements", () => {
  it("returns every statement with its number of rows, except those that begin or end a transaction", async () => {
    const { prisma, transaction } = gateway.database;
    const one = await recordStatements(() => prisma.$queryRaw`SELECT generate_series(1, 7)`);
    expect(one.statements).toEqual([{ text: "SELECT generate_series(1, 7)", rows: 7 }]);

    const several = await recordStatements(async () => {
      await prisma.$transaction([prisma.benchmark.count(), prisma.exchangeFeed.count()]);
      await transaction(async ({ query, script }) => {
        await query("SELECT 1 WHERE false");
        await script("SELECT 2");
      });
      await Promise.all([prisma.organization.count(), prisma.facility.count()]);
    });
    expect(several.statements).toHaveLength(6);
    expect(several.statements[2]).toEqual({ text: "SELECT 1 WHERE false", rows: 0 });

    const none = await recordStatements(async () => 1 + 1);
    expect(none).toEqual({ answer: 2, statements: [] });
  });
});

describe("one request for a whole dashboard", () => {
  /** Totals, trend, records, facilities; frameworks, deadlines; batches, sales, retirements; instruments, history, change. */
  const STATEMENTS = 12;
  const DASHBOARD = (size: Omit<GraphSize, "frameworks" | "children">) => `{
    emissions {
      totalCo2eTonnes
      trend { from co2eTonnes }
      records(first: ${size.records}) { nodes { reference facility { code } } }
    }
    compliance { frameworks { framework upcomingDeadlines(first: 3) { title } } }
    credits { batches(first: ${size.batches}) { nodes { retirements(first: 3) { reference } sales(first: 3) { reference } } } }
    market { instruments(first: ${size.instruments}) { nodes { latestPrice { price } history(first: 3) { price } change { percent } } } }
  }`;

  it.each([
    ["with the row counts in the requirement", { records: 50, frameworks: 8, batches: 20, instruments: 30 }],
    ["5 of each", { records: 5, frameworks: 5, batches: 5, instruments: 5 }],
    ["100 of each, and all 8 frameworks", { records: 100, frameworks: 8, batches: 100, instruments: 100 }],
  ])(`sends ${STATEMENTS} statements: %s`, async (_what, size) => {
    const tenant = await tenantOf({ ...size, children: 4 });
    const { data, statements } = await observe(tenant, DASHBOARD(size));
    expect(textsOf(statements)).toHaveLength(STATEMENTS);

    const { emissions, compliance, credits, market } = data;
    expect(emissions.trend).toHaveLength(13);
    expect(emissions.totalCo2eTonnes).toBe((size.records * (size.records + 1)) / 2);
    expect(emissions.records.nodes).toEqual(
      Array.from({ length: size.records }, (_, index) => ({
        reference: `record-${index + 1}`,
        facility: { code: `site-${String(index + 1).padStart(4, "0")}` },
      })),
    );
    const deadlines = [1, 2, 3].map((n) => ({ title: `Deadline ${n}` }));
    expect(
      compliance.frameworks.map(({ upcomingDeadlines }: { upcomingDeadlines: unknown }) => upcomingDeadlines),
    ).toEqual(Array.from({ length: size.frameworks }, () => deadlines));
    expect(credits.batches.nodes).toEqual(
      Array.from({ length: size.batches }, (_, index) => ({
        retirements: [1, 2, 3].map((n) => ({
          reference: `batch-${String(index + 1).padStart(4, "0")}-retirement-${n}`,
        })),
        sales: [1, 2, 3].map((n) => ({ reference: `sale-${n}` })),
      })),
    );
    expect(market.instruments.nodes).toEqual(
      Array.from({ length: size.instruments }, () => ({
        latestPrice: { price: 104 },
        history: [104, 103, 102].map((price) => ({ price })),
        change: { percent: 0.970874 },
      })),
    );
  });

  it("reads only the rows that the answer shows, and one more per page", async () => {
    const tenant = await tenantOf({ records: 9, frameworks: 3, batches: 9, instruments: 9, children: 40 });
    const rowsOf = async (query: string) => (await observe(tenant, query)).statements.map(({ rows }) => rows);

    expect(await rowsOf("{ emissions { records(first: 4) { nodes { facility { name } } } } }")).toEqual([
      5, 4,
    ]);
    expect(await rowsOf("{ compliance { frameworks { upcomingDeadlines(first: 2) { title } } } }")).toEqual([
      3, 6,
    ]);
    expect(await rowsOf("{ compliance { upcomingDeadlines(first: 7) { title } } }")).toEqual([7]);
    const batches = (first: number, of: string) =>
      `{ credits { batches(first: ${first}) { nodes { ${of} { reference } } } } }`;
    expect(await rowsOf(batches(4, "sales(first: 2)"))).toEqual([5, 8]);
    expect(await rowsOf(batches(5, "retirements(first: 3)"))).toEqual([6, 15]);
    const instruments = (first: number, of: string) =>
      `{ market { instruments(first: ${first}) { nodes { ${of} } } } }`;
    expect(await rowsOf(instruments(4, "history(first: 5) { price }"))).toEqual([5, 20]);
    expect(await rowsOf(instruments(5, "change { amount }"))).toEqual([6, 10]);
    expect(await rowsOf("{ emissions { byFacility(first: 3) { facility { code } } } }")).toEqual([3, 3]);
  });
});

describe("relations cost the same number of statements for 2 parents as for 100", () => {
  it.each([
    [
      "facilities with totals and scopes",
      2,
      "emissions { facilities(first: 100) { nodes { facility { code } co2eTonnes recordCount byScope { co2eTonnes } } } }",
    ],
    [
      "the largest facilities",
      2,
      "emissions { byFacility(first: 100) { facility { code } co2eTonnes byScope { co2eTonnes } } }",
    ],
    [
      "filtered facilities, with totals and trends",
      3,
      'emissions(filter: { countries: ["DE"] }) { facilities(first: 100) { nodes { co2eTonnes trend { co2eTonnes } } } }',
    ],
    [
      "the largest facilities with their trends",
      3,
      "emissions { byFacility(first: 100) { facility { code } trend(step: QUARTER) { byScope { co2eTonnes } } } }",
    ],
    [
      "countries and categories with their trends",
      4,
      "emissions { byCountry { country trend { co2eTonnes } } byCategory { trend(step: YEAR) { co2eTonnes } } }",
    ],
    [
      "records with facilities, by edges and by nodes",
      2,
      "emissions { records(first: 100) { edges { node { facility { code } } } nodes { facility { name } } } }",
    ],
    [
      "retirements with their batches",
      2,
      "credits { retirements(first: 100) { nodes { batch { reference issued } } } }",
    ],
    [
      "retirements with the sales of their batches",
      3,
      "credits { retirements(first: 100) { nodes { batch { sales(first: 1) { reference } } } } }",
    ],
    [
      "instruments with their history in a range",
      2,
      'market { instruments(first: 100) { nodes { history(range: { from: "2026-01-01", to: "2026-12-31" }, first: 2) { price } } } }',
    ],
    [
      "instruments with their change, requested twice",
      2,
      "market { instruments(first: 100) { nodes { change { amount } again: change { percent } } } }",
    ],
  ])("%s: %i", async (_what, expected, field) => {
    for (const count of [2, 100]) {
      const tenant = await tenantOf({ records: count, batches: count, instruments: count, children: 2 });
      const { statements } = await observe(tenant, `{ ${field} }`);
      expect(textsOf(statements)).toHaveLength(expected);
    }
  });
});

describe("frameworks with their deadlines cost the same number of statements for 2 as for 8", () => {
  it.each([
    [
      "due in a date range, in order",
      2,
      'order: DESC, filter: { dueDate: { from: "2026-01-01", to: "2026-12-31" } }',
    ],
    ["of a status, whose recorded spelling is looked up first", 3, 'filter: { statuses: ["PENDING"] }'],
  ])("%s: %i", async (_what, expected, args) => {
    for (const frameworks of [2, 8]) {
      const tenant = await tenantOf({ frameworks, children: 2 });
      const query = `{ compliance { frameworks { deadlines(${args}) { title } } } }`;
      const { data, statements } = await observe(tenant, query);
      expect(textsOf(statements)).toHaveLength(expected);
      expect(data.compliance.frameworks).toHaveLength(frameworks);
    }
  });
});

describe("fields that need the same data", () => {
  const RANGE = '(range: { from: "2026-01-01", to: "2026-06-30" })';

  it.each([
    [
      "the totals of emissions",
      1,
      "emissions { totalCo2eTonnes totalCo2eTonnesExact recordCount latestRecord byScope { co2eTonnes } }",
    ],
    [
      "the totals and the change, which also needs the previous period's totals",
      2,
      "emissions { totalCo2eTonnes byScope { co2eTonnes } latestRecord change { percent previousCo2eTonnes } }",
    ],
    ["the change, requested twice", 2, "emissions { change { percent } again: change { co2eTonnes } }"],
    [
      "emissions under two aliases",
      1,
      "one: emissions { totalCo2eTonnes } two: emissions { byScope { scope } latestRecord }",
    ],
    [
      "emissions of one range written twice",
      1,
      `one: emissions${RANGE} { totalCo2eTonnes } two: emissions${RANGE} { recordCount }`,
    ],
    [
      "emissions of two ranges",
      2,
      `one: emissions { totalCo2eTonnes } two: emissions${RANGE} { totalCo2eTonnes }`,
    ],
    [
      "the previous period, as a change and as a range",
      2,
      `change: emissions(range: { from: "2026-02-01", to: "2026-02-28" }) { change { percent } } before: emissions(range: { from: "2026-01-01", to: "2026-01-31" }) { totalCo2eTonnes }`,
    ],
    [
      "the trend, requested twice",
      1,
      "emissions { trend { from } again: trend(step: MONTH) { byScope { scope } } }",
    ],
    [
      "the trend by month and by quarter",
      2,
      "emissions { trend { from } quarters: trend(step: QUARTER) { from } }",
    ],
    [
      "facilities by amount, requested twice",
      1,
      "emissions { byFacility { co2eTonnes } again: byFacility(first: 20) { recordCount byScope { scope } } }",
    ],
    [
      "a page and its count under two aliases",
      2,
      "emissions { one: records(first: 2) { nodes { id } totalCount } two: records(first: 2) { totalCount edges { cursor } } }",
    ],
    [
      // One search among the latest records, and then one by an index.
      "a page whose filter is written in another order",
      2,
      "emissions { one: records(filter: { scopes: [SCOPE_1, SCOPE_2] }) { nodes { id } } two: records(filter: { scopes: [SCOPE_2, SCOPE_1, SCOPE_1] }) { nodes { id } } }",
    ],
    [
      "a record's facility, which the filter has looked up",
      3,
      'emissions { records(filter: { facilityIds: ["FACILITY"] }) { nodes { facility { code } } } }',
    ],
    [
      "all totals of credits",
      1,
      "credits { availableCredits availableCount retiredCredits issuedCredits soldCredits byType { quantity } byTypeAndVintage { available } }",
    ],
    [
      "the totals of credits and the number of retirements",
      2,
      "credits { retiredCredits retiredCount } again: credits { retiredCount availableCredits }",
    ],
    [
      "frameworks and deadlines, requested twice",
      3,
      "compliance { frameworks { upcomingDeadlines { title } } again: frameworks { upcomingDeadlines { dueDate } } upcomingDeadlines { title } } once: compliance { upcomingDeadlines { dueDate } }",
    ],
    [
      "prices and the feed, requested twice",
      2,
      "market { prices { price } isLiveFeedConnected } again: market { prices { currency } isLiveFeedConnected }",
    ],
    [
      "benchmarks, requested twice",
      1,
      'benchmarks(sector: "steel") { items { sector } } again: benchmarks(sector: "steel") { items { unit } }',
    ],
    ["the key's organization and budget", 0, "organization { slug name } rateLimit { used }"],
  ])("share statements: %s: %i", async (_what, expected, fields) => {
    const tenant = await tenantOf({ records: 3, frameworks: 3, batches: 3, instruments: 3, children: 2 });
    const { id } = await gateway.database.prisma.facility.findFirstOrThrow({
      where: { organization: { slug: tenant.slug } },
    });
    const { statements } = await observe(tenant, `{ ${fields.replace("FACILITY", id)} }`);
    expect(textsOf(statements)).toHaveLength(expected);
  });
});

describe("totalCount", () => {
  it.each([
    ["emissions", "facilities", 3],
    ["emissions", "records", 3],
    ["compliance", "deadlines", 6],
    ["credits", "batches", 3],
    ["credits", "retirements", 6],
    ["market", "instruments", 3],
  ])("costs a statement only if it is selected: %s { %s }", async (root, list, count) => {
    const tenant = await tenantOf({ records: 3, frameworks: 3, batches: 3, instruments: 3, children: 2 });
    const page = "pageInfo { hasNextPage endCursor } edges { cursor } nodes { __typename }";
    const without = await observe(tenant, `{ ${root} { ${list} { ${page} } } }`);
    expect(textsOf(without.statements)).toHaveLength(1);

    const { data, statements } = await observe(tenant, `{ ${root} { ${list} { ${page} totalCount } } }`);
    // The page is cached, and the number of records comes from the stored sums.
    const counts = root === "emissions" && list === "records" ? "FROM emission_days" : "AS count";
    expect(statements).toEqual([{ text: expect.stringContaining(counts), rows: 1 }]);
    expect(data[root][list].totalCount).toBe(count);
  });
});

describe("the cache", () => {
  const QUERY = "{ emissions { totalCo2eTonnes } }";
  const statementsOf = async (work: () => Promise<unknown>) =>
    textsOf((await recordStatements(work)).statements);

  it("answers a repeated operation without a statement, even for the key", async () => {
    const tenant = await newTenant(gateway);
    const first = await statementsOf(() => tenant.ask(QUERY));
    // The key's first use is recorded in the background.
    expect(first.filter((text) => text.includes("k.hash = ANY"))).toHaveLength(1);
    expect(first.filter((text) => text.includes("emission_days"))).toHaveLength(1);
    const { apiKey } = gateway.database.prisma;
    const lastUse = async () => (await apiKey.findUniqueOrThrow({ where: { id: tenant.keyId } })).lastUsedAt;
    await expect.poll(lastUse).not.toBeNull();

    expect(await statementsOf(() => tenant.ask(QUERY))).toEqual([]);
    expect(await statementsOf(() => tenant.ask("{ organization { slug } }"))).toEqual([]);
  });

  it("distinguishes text, variables, operation name, tenant and day", async () => {
    const [tenant, other] = [await usedTenant(), await usedTenant()];
    const text = `query One($first: Int!) { credits { batches(first: $first) { nodes { id } } } }
      query Two($first: Int!) { credits { retirements(first: $first) { nodes { reference } } } }`;
    const ask = (key: string, operationName: string, first: number) => () =>
      gateway.call("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-API-Key": key },
        body: JSON.stringify({ query: text, operationName, variables: { first } }),
      });
    for (const work of [
      ask(tenant.key, "One", 1),
      ask(tenant.key, "Two", 1),
      ask(tenant.key, "One", 2),
      ask(other.key, "One", 1),
      () => tenant.ask("{ compliance { frameworks { status } } }"),
      () => tenant.ask(QUERY),
    ]) {
      expect(await statementsOf(work)).toHaveLength(1);
      expect(await statementsOf(work)).toEqual([]);
    }
    expect(await statementsOf(() => tenant.ask("{ rateLimit { used } }"))).toEqual([]);
    gateway.setNow(new Date("2026-11-21T00:00:00.000Z"));
    const nextDay = await statementsOf(() => tenant.ask(QUERY));
    expect(nextDay.filter((one) => one.includes("emission_days"))).toHaveLength(1);
    gateway.setNow(NOW);
  });

  it("reads data once for all operations that need it", async () => {
    const tenant = await usedTenant();
    expect(await statementsOf(() => tenant.ask(QUERY))).toHaveLength(1);
    const other = "{ emissions { recordCount trend { from } } rateLimit { used } }";
    expect(await statementsOf(() => tenant.ask(other))).toHaveLength(1);
    expect(await statementsOf(() => tenant.ask(other))).toEqual([]);
  });

  it("reads only the changed part of a larger operation again", async () => {
    const tenant = await tenantOf({ records: 3, frameworks: 3, batches: 3, instruments: 3, children: 2 });
    const dashboard = `{
      emissions { recordCount }
      compliance { frameworks { upcomingDeadlines(first: 3) { title } } }
      credits { batches { nodes { retirements(first: 3) { reference } } } }
      market { instruments { nodes { latestPrice { price } } } }
    }`;
    const before = (await observe(tenant, dashboard)).data;
    await addRecord(gateway.database, tenant.slug);
    const { data, statements } = await observe(tenant, dashboard);
    expect(textsOf(statements)).toEqual([expect.stringContaining("emission_days")]);
    expect(data).toEqual({ ...before, emissions: { recordCount: 4 } });
  });

  it("recomputes an answer after a change to a table that it read, and to no other", async () => {
    const tenant = await usedTenant();
    const compliance = "{ compliance { frameworks { status } } }";
    const emissions = "{ emissions { recordCount } }";
    await tenant.ask(compliance);
    await tenant.ask(emissions);

    await addRecord(gateway.database, tenant.slug);
    expect(await statementsOf(() => tenant.ask(compliance))).toEqual([]);
    expect(await statementsOf(() => gateway.rest("/compliance", tenant.key))).toHaveLength(2);
    expect(await statementsOf(() => tenant.ask(emissions))).toHaveLength(1);

    await addFramework(gateway.database, tenant.slug);
    expect(await statementsOf(() => tenant.ask(emissions))).toEqual([]);
    expect(await statementsOf(() => tenant.ask(compliance))).toHaveLength(1);
    expect(await statementsOf(() => gateway.rest("/compliance", tenant.key))).toHaveLength(2);
  });
});

describe("a refused request", () => {
  const statementsOf = async (query: string, key?: string) => {
    const { answer, statements } = await recordStatements(() => gateway.graphql(query, key));
    return { status: answer.status, statements: textsOf(statements) };
  };
  const QUERY = "{ emissions { totalCo2eTonnes } }";

  it("costs no statement without a key or with a malformed one", async () => {
    for (const key of [undefined, "", "rubbish", `${generateKey()}x`, generateKey().replace(/.$/, "!")])
      expect(await statementsOf(QUERY, key)).toEqual({ status: 401, statements: [] });
  });

  it("costs only the lookup of its key if the key is unknown", async () => {
    const { status, statements } = await statementsOf(QUERY, generateKey());
    expect(status).toBe(401);
    expect(statements).toEqual([expect.stringContaining("api_keys")]);
  });

  it("costs no statement with a cached key if a scope is missing or the operation is invalid", async () => {
    const tenant = await usedTenant({ scopes: ["read:market"] });
    for (const [query, status] of [
      ["{ emissions { totalCo2eTonnes records { totalCount } } }", 200],
      ["{ nothing }", 400],
      ["{ syntax", 400],
    ] as const) {
      expect(await statementsOf(query, tenant.key)).toEqual({ status, statements: [] });
    }
  });
});

describe("an introspection operation", () => {
  it("costs no statement, with a key or without", async () => {
    const { key } = await newTenant(gateway);
    for (const caller of [undefined, key]) {
      const { answer, statements } = await recordStatements(() =>
        gateway.graphql("{ __schema { types { name fields { name } } } }", caller),
      );
      expect([answer.status, textsOf(statements)]).toEqual([200, []]);
    }
  });
});
