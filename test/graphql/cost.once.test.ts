import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tier } from "../../src/domain/tiers.js";
import { type Gateway, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const tooCostly = (estimate: number, limit: number, field: string, cost: number) => ({
  errors: [
    {
      message: `The operation has ${estimate} cost points; at most ${limit} are allowed. The most expensive field is ${field}, with ${cost} of them.`,
      extensions: {
        code: "BAD_USER_INPUT",
        measure: "cost",
        limit,
        estimate,
        mostExpensive: { field, cost },
      },
    },
  ],
});

describe("the cost of an operation", () => {
  it.each([
    ["an object", "{ organization { slug name } }", {}, 1],
    ["two objects", "{ organization { slug } rateLimit { used } }", {}, 2],
    [
      "scalars of an object, however many",
      "{ emissions { totalCo2eTonnes recordCount latestRecord } }",
      {},
      1,
    ],
    ["an object in an object", "{ emissions { change { percent } } }", {}, 2],
    ["a list whose size the schema knows", "{ emissions { byScope { co2eTonnes } } }", {}, 4],
    ["every framework", "{ compliance { frameworks { status } } }", {}, 9],
    ["a search, as its page", '{ emissionFactors(search: "uk electricity") { nodes { id } } }', {}, 21],
    [
      "a search with many words, by its words",
      "query ($words: String) { emissionFactors(search: $words, first: 1) { nodes { id } } }",
      { words: " uk electricity  grid losses\n2025 " },
      25,
    ],
    ["a list without a size, as the most that it may have then", "{ market { prices { price } } }", {}, 101],
    ["such a list with first", "{ market { prices(first: 700) { price } } }", {}, 701],
    [
      "the items of a list that is sent, if less is selected",
      "query ($filter: EmissionRecordFilter) { emissions(filter: $filter) { recordCount } }",
      { filter: { scopes: ["SCOPE_1", "SCOPE_2", "SCOPE_3"], categories: ["a", "b"] } },
      5,
    ],
    [
      "imports times their estimated years, with precursors",
      "query ($input: CbamEstimateInput!) { cbamEstimate(input: $input) { year } }",
      {
        input: {
          year: 2026,
          years: [2027, 2028],
          lines: [
            { cnCode: "7208", country: "IN", massT: "1" },
            ...Array(2).fill({
              cnCode: "7208",
              country: "IN",
              massT: "1",
              basis: "ACTUAL",
              directTco2ePerT: "1",
              precursors: Array(5).fill({ cnCode: "7207", massT: "1", route: "C" }),
            }),
          ],
        },
      },
      // 3 + 2 × 3, and 10 fifths.
      11,
    ],
    ["a list by first", "{ compliance { upcomingDeadlines(first: 7) { title } } }", {}, 8],
    ["a list by the schema's default", "{ compliance { upcomingDeadlines { title } } }", {}, 11],
    ["a page of 20 where no size is given", "{ credits { batches { nodes { reference } } } }", {}, 22],
    ["a page by first", "{ credits { batches(first: 50) { nodes { reference } } } }", {}, 52],
    ["a page by last", "{ credits { batches(last: 3) { nodes { reference } } } }", {}, 5],
    // Edges and their nodes are separate objects.
    [
      "edges with nodes",
      "{ credits { batches(first: 50) { edges { cursor node { reference } } } } }",
      {},
      102,
    ],
    [
      "edges next to nodes and pageInfo",
      "{ credits { batches(first: 5) { edges { cursor } nodes { id } pageInfo { hasNextPage } } } }",
      {},
      13,
    ],
    ["a page without its items", "{ credits { batches(first: 100) { pageInfo { endCursor } } } }", {}, 3],
    ["a total whose rows are counted, as 100", "{ credits { batches(first: 3) { totalCount } } }", {}, 102],
    ["a total of records from stored sums, as 1", "{ emissions { records { totalCount } } }", {}, 3],
    [
      "the same with a filter that the sums cover, in variables too",
      `query ($filter: EmissionRecordFilter) { emissions {
         a: records(filter: { scopes: [SCOPE_1], facilityIds: [] }) { totalCount }
         b: records(filter: $filter) { totalCount }
       } }`,
      { filter: { categories: ["travel"] } },
      1 + 2 * (1 + 1),
    ],
    [
      "a total that no stored sums have, as 1,000",
      `{ a: emissions { records(filter: { references: ["r"] }) { totalCount } }
         b: emissions(filter: { countries: ["DE"] }) { records(filter: { categories: ["travel"] }) { totalCount } }
         emissionRecords { totalCount } }`,
      {},
      2 * (2 + 1_000) + 1 + 1_000,
    ],
    [
      "an object of each item",
      "{ emissions { records(first: 50) { nodes { facility { code } } } } }",
      {},
      102,
    ],
    // credits + page + 20 * (1 + 5 + 10)
    [
      "nested lists, which multiply",
      "{ credits { batches(first: 20) { nodes { sales(first: 5) { id } retirements { id } } } } }",
      {},
      322,
    ],
    // market + page + 30 * (1 + latest + 30 * 1 + change + previous)
    [
      "history by the schema's default",
      "{ market { instruments(first: 30) { nodes { latestPrice { price } history { price } change { previous { price } } } } } }",
      {},
      1_022,
    ],
    [
      "aliases, each for itself",
      "{ credits { a: batches(first: 3) { nodes { id } } b: batches(first: 4) { nodes { id } } } }",
      {},
      10,
    ],
    [
      "a variable's value",
      "query ($n: Int) { credits { batches(first: $n) { nodes { id } } } }",
      { n: 7 },
      9,
    ],
    [
      "a variable's default",
      "query ($n: Int = 6) { credits { batches(first: $n) { nodes { id } } } }",
      {},
      8,
    ],
    [
      "a variable's value in place of its default",
      "query ($n: Int = 6) { credits { batches(first: $n) { nodes { id } } } }",
      { n: 3 },
      5,
    ],
    [
      "a variable that is null, as the default page",
      "query ($n: Int) { credits { batches(first: $n) { nodes { id } } } }",
      { n: null },
      22,
    ],
    // emissions + 13 months * (1 + 3 scopes): the first and last month are partial
    ["a trend of the last 12 months", "{ emissions { trend { byScope { co2eTonnes } } } }", {}, 53],
    ["a trend of the last 12 months by quarter", "{ emissions { trend(step: QUARTER) { from } } }", {}, 6],
    [
      "a trend by the range above it",
      '{ emissions(range: { from: "2025-12-31", to: "2026-03-01" }) { trend { from } } }',
      {},
      5,
    ],
    [
      "a trend of the range in a variable, by the step in another, in a fragment",
      `query ($range: DateRangeInput, $step: TrendStep! = MONTH) { emissions(range: $range) { ...Trend } }
       fragment Trend on Emissions { trend(step: $step) { from } }`,
      { range: { from: "2016-12-31", to: "2026-11-20" }, step: "QUARTER" },
      42,
    ],
    [
      "each trend of a fragment by the range above it",
      `{ one: emissions(range: { from: "2026-01-01", to: "2026-01-31" }) { ...Trend } two: emissions { ...Trend } }
       fragment Trend on Emissions { trend { from } }`,
      {},
      16,
    ],
    [
      "a trend of a range in the defaults of variables",
      `query ($from: Date! = "2026-01-01", $range: DateRangeInput = { from: "2026-01-01", to: "2026-02-01" }) {
         emissions(range: $range) { trend { from } }
         other: emissions(range: { from: $from, to: "2026-12-31" }) { trend { from } }
       }`,
      {},
      16,
    ],
    [
      "a trend by year",
      '{ emissions(range: { from: "1990-07-01", to: "2026-11-20" }) { trend(step: YEAR) { from } } }',
      {},
      38,
    ],
    // emissions + 20 * (1 + 37 * 1)
    [
      "trends of parts, by the range above them",
      '{ emissions(range: { from: "1990-07-01", to: "2026-11-20" }) { byCountry { trend(step: YEAR) { from } } } }',
      {},
      761,
    ],
    // emissions + page + 5 * (1 + 13 * (1 + 3))
    [
      "trends of parts of a page, in a fragment",
      "{ emissions { facilities(first: 5) { nodes { ...Trend } } } } fragment Trend on FacilityEmissions { trend { byScope { co2eTonnes } } }",
      {},
      267,
    ],
    [
      "records by amount, which are sorted",
      "{ emissions { records(first: 5, orderBy: CO2E_TONNES) { nodes { id } } } }",
      {},
      507,
    ],
    [
      "a trend of ten years of months",
      '{ emissions(range: { from: "2016-11-21", to: "2026-11-20" }) { trend { from } } }',
      {},
      122,
    ],
    [
      "a variable that is left out, as the default page",
      "query ($n: Int) { credits { batches(first: $n) { nodes { id } } } }",
      {},
      22,
    ],
    [
      "a fragment, wherever it is spread",
      "{ one: credits { ...Page } two: credits { ...Page } } fragment Page on CreditPortfolio { batches(first: 4) { nodes { id } } }",
      {},
      12,
    ],
    [
      "a fragment in a page, as many times as the page has items",
      "{ credits { batches(first: 4) { ...Items } } } fragment Items on CreditBatchConnection { nodes { sales(first: 2) { id } } }",
      {},
      14,
    ],
    [
      "a fragment without a type",
      "{ credits { ... { batches(first: 4) { ... { nodes { id } } } } } }",
      {},
      6,
    ],
    ["__typename for nothing", "{ __typename organization { __typename slug } }", {}, 1],
  ])("counts %s", async (_what, query, variables, cost) => {
    const { ask } = await newTenant(gateway);
    const answer = await ask(query, variables);
    expect([answer.status, answer.body.errors, answer.cost]).toEqual([200, undefined, cost]);
  });

  it("is that of the requested operation if a document has several", async () => {
    const { key } = await newTenant(gateway);
    const query =
      "query Small { organization { slug } } query Large { credits { batches(first: 100) { nodes { id } } } }";
    for (const [operationName, cost] of [
      ["Small", 1],
      ["Large", 102],
    ]) {
      const answer = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-API-Key": key },
        body: JSON.stringify({ query, operationName }),
      });
      expect(await answer.json()).toMatchObject({ extensions: { cost } });
    }
  });

  it("is not reported for a refused operation or for introspection", async () => {
    const { ask } = await newTenant(gateway);
    for (const query of ["{ nothing }", "{ __typename }"]) expect((await ask(query)).cost).toBeUndefined();
  });
});

describe("the cost of a variable named like a built-in member of objects", () => {
  const query = (name: string, size: number) =>
    `query($${name}: Int! = ${size}) { credits { batches(first: $${name}) { nodes {
       reference sales(first: $${name}) { id } retirements(first: $${name}) { id }
     } } } }`;
  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "is that of any other variable: $%s",
    async (name) => {
      const { ask, dataOf } = await newTenant(gateway);
      const refused = await ask(query(name, 100));
      expect([refused.status, refused.body]).toEqual([
        400,
        tooCostly(20_102, 10_000, "credits.batches.nodes.sales", 10_000),
      ]);
      expect((await ask(query(name, 2))).cost).toBe(2 + 2 * (1 + 2 + 2));
      const given = await ask(query(name, 2), JSON.parse(`{ "${name}": 100 }`));
      expect(given.status).toBe(400);
      // A variable without a value omits the argument, whatever the variable's name.
      const left = await dataOf(
        `query($${name}: Boolean) { credits { batches(filter: { hasAvailable: $${name} }) { nodes { id } } } }`,
      );
      expect(left.credits.batches.nodes).toEqual([]);
    },
  );
});

describe("a trend of an invalid range", () => {
  it.each([
    ["too long", "1000-01-01", "2026-11-20"],
    ["reversed", "2026-11-20", "2025-11-20"],
  ])("costs as much as the longest trend: %s", async (_what, from, to) => {
    const { ask } = await newTenant(gateway);
    const query = `{ emissions(range: { from: "${from}", to: "${to}" }) { trend { from } } }`;
    const { body, cost } = await ask(query);
    expect([body.data, cost]).toEqual([{ emissions: null }, 1_202]);
  });
});

describe("the ceiling of a tier", () => {
  const OPERATION = (left: number) => `{ credits {
    a: batches(first: 100) { nodes { retirements(first: 23) { id } } } b: batches(first: ${left}) { nodes { id } }
  } }`;
  const TIMES = (times: number, left: number) => `{
    ${Array.from({ length: times }, (_, index) => `c${index}: credits { batches(first: 100) { nodes { retirements(first: 23) { id } } } }`).join(" ")}
    credits { batches(first: ${left}) { nodes { id } } }
  }`;

  it.each([
    // credits + page + 100 * 24, and a page of 97
    ["free", 2_500, OPERATION(97), OPERATION(98)],
    // 2 * 2402 + 2 + 100 is 4906: below
    [
      "pro",
      5_000,
      `${TIMES(2, 100).slice(0, -1)} m: market { instruments(first: 92) { nodes { exchange } } }}`,
      `${TIMES(2, 100).slice(0, -1)} m: market { instruments(first: 93) { nodes { exchange } } }}`,
    ],
    [
      "enterprise",
      10_000,
      `${TIMES(4, 100).slice(0, -1)} m: market { instruments(first: 100) { nodes { exchange } } } n: market { instruments(first: 100) { nodes { exchange } } } o: market { instruments(first: 84) { nodes { exchange } } }}`,
      `${TIMES(4, 100).slice(0, -1)} m: market { instruments(first: 100) { nodes { exchange } } } n: market { instruments(first: 100) { nodes { exchange } } } o: market { instruments(first: 85) { nodes { exchange } } }}`,
    ],
  ] as const)(
    "admits an operation at the ceiling, and refuses one point more: %s, %i",
    async (tier, limit, max, more) => {
      const field = tier === "free" ? "credits.a.nodes.retirements" : "c0.batches.nodes.retirements";
      const { ask } = await newTenant(gateway, { tier });
      const answered = await ask(max);
      expect([answered.status, answered.body.errors, answered.cost]).toEqual([200, undefined, limit]);
      const refused = await ask(more);
      expect([refused.status, refused.body]).toEqual([400, tooCostly(limit + 1, limit, field, 2_300)]);
    },
  );

  it("refuses for Free what Pro gets, judging by the value of a variable", async () => {
    const query = `query ($first: Int!) { credits { batches(first: 100) { nodes { retirements(first: $first) { id } } } } }`;
    const ask = async (tier: Tier, first: number) =>
      (await newTenant(gateway, { tier })).ask(query, { first });
    const refused = await ask("free", 30);
    expect([refused.status, refused.body]).toEqual([
      400,
      tooCostly(3_102, 2_500, "credits.batches.nodes.retirements", 3_000),
    ]);
    expect((await ask("pro", 30)).cost).toBe(3_102);
    expect((await ask("free", 20)).cost).toBe(2_102);
  });

  it("refuses before any statement, and counts the request", async () => {
    const { ask, keyId } = await newTenant(gateway, { tier: "free" });
    await ask("{ organization { slug } }");
    // The key's first use is recorded in the background.
    const { apiKey } = gateway.database.prisma;
    const lastUse = async () => (await apiKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt;
    await expect.poll(lastUse).not.toBeNull();

    const { answer, statements } = await recordStatements(() =>
      ask(`{ credits { availableCredits batches(first: 100) { nodes { sales(first: 100) { id } } } } }`),
    );
    expect(answer.body).toEqual(tooCostly(10_102, 2_500, "credits.batches.nodes.sales", 10_000));
    expect(statements).toEqual([]);
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("98");
  });
});

describe("a query bomb", () => {
  const times = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index)).join(" ");
  const RETIREMENTS = (below: string) => `retirements(first: 100) { batch { ${below} } }`;

  it("of 10,000 times the limit is refused at once, with its estimate", async () => {
    const { ask } = await newTenant(gateway);
    const query = `{ credits { batches(first: 100) { nodes { ${RETIREMENTS(RETIREMENTS(RETIREMENTS("id")))} } } } }`;
    const answer = await ask(query);
    // From the innermost: 100 * 2, 100 * (2 + 200), 100 * (2 + 20,200), 100 * (1 + 2,020,200), and 2 for credits and page.
    expect([answer.status, answer.body]).toEqual([
      400,
      tooCostly(
        202_020_102,
        10_000,
        `credits.batches.nodes.${"retirements.batch.".repeat(2)}retirements`,
        100_000_000,
      ),
    ]);
  });

  it("of fragments that double at each of 150 levels is refused at once", async () => {
    const { ask } = await newTenant(gateway);
    const doubling = times(
      150,
      (index) => `fragment F${index} on CreditPortfolio { ...F${index + 1} ...F${index + 1} }`,
    );
    const query = `{ credits { ...F0 } } ${doubling} fragment F150 on CreditPortfolio { batches(first: 100) { nodes { id } } }`;
    const answer = await ask(query);
    expect([answer.status, answer.body]).toEqual([
      400,
      tooCostly(Number.MAX_SAFE_INTEGER, 10_000, "credits.batches.nodes", 100),
    ]);
  });

  it("of doubling fragments that only ask for __typename is answered at once, without a key", async () => {
    const doubling = times(
      150,
      (index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );
    const query = `{ ...F0 } ${doubling} fragment F150 on Query { __typename }`;
    const answer = await gateway.graphql(query);
    expect([answer.status, answer.body]).toEqual([200, { data: { __typename: "Query" } }]);
  });

  it("of nested introspection is refused at once, without a key", async () => {
    const nest = (levels: number): string =>
      levels === 0 ? "name" : `fields { type { ${nest(levels - 1)} } }`;
    const answer = await gateway.graphql(`{ __schema { types { ${nest(20)} } } }`);
    expect([answer.status, answer.body.data, answer.body.errors?.[0]?.extensions.code]).toEqual([
      400,
      undefined,
      "BAD_USER_INPUT",
    ]);
  });

  it.each([
    [
      "with itself",
      "{ ...A } fragment A on Query { organization { slug } ...A }",
      'Cannot spread fragment "A" within itself.',
    ],
    [
      "over another",
      "{ ...A } fragment A on Query { ...B } fragment B on Query { organization { slug } ...A }",
      'Cannot spread fragment "A" within itself via "B".',
    ],
    [
      "inside a list",
      "{ credits { batches(first: 100) { nodes { ...A } } } } fragment A on CreditBatch { retirements(first: 100) { batch { ...A } } }",
      'Cannot spread fragment "A" within itself.',
    ],
  ])("of cyclic fragments is refused at once: %s", async (_what, query, message) => {
    const { ask } = await newTenant(gateway);
    const answer = await ask(query);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        errors: [
          { message, locations: expect.any(Array), extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
        ],
      },
    ]);
  });

  it("of cyclic fragments that select only __typename needs a key, and is refused with one", async () => {
    const query = "{ ...A } fragment A on Query { __typename ...A }";
    expect((await gateway.graphql(query)).status).toBe(401);
    const { body } = await (await newTenant(gateway)).ask(query);
    expect(body.errors?.map(({ message }) => message)).toEqual(['Cannot spread fragment "A" within itself.']);
  });
});
