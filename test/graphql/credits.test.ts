import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addBatch, addRetirement, addSale } from "../support/fixtures.js";
import { ORGANIZATION, runSql, selectColumn } from "../support/graph-fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Creates a tenant with batches of several types and vintages: unused, partly used and spent; some past 2^31. */
async function newHolder() {
  const tenant = await newTenant(gateway);
  const { database } = gateway;
  const add = (reference: string, creditType: string, quantity: number, vintage?: number) =>
    addBatch(database, tenant.slug, { reference, creditType, quantity, ...(vintage && { vintage }) });
  const retire = (
    batch: Awaited<ReturnType<typeof add>>,
    reference: string,
    quantity: number,
    retiredOn: string,
  ) => addRetirement(database, batch, { reference, quantity, retiredOn });

  const large = await add("large", "VCS", 6_000_000_000, 2024);
  await addSale(database, large, { reference: "sale b", quantity: 2_500_000_000 });
  await addSale(database, large, { reference: "sale a", quantity: 1 });
  await addSale(database, large, { reference: "Sale c", quantity: 2 });
  await retire(large, "R-1", 10, "2026-01-31");
  await retire(large, "R-2", 20, "2026-02-28");
  await retire(large, "R-3", 30, "2026-02-28");
  await add("whole", "VCS", 100, 2023);
  const spent = await add("spent", "VCS", 7);
  await retire(spent, "R-4", 7, "2026-03-01");
  const sold = await add("sold", "EUA", 5, 2024);
  await addSale(database, sold, { reference: "all", quantity: 5 });
  const partly = await add("partly", "EUA", 3_000_000_000);
  await retire(partly, "R-5", 2_999_999_999, "2025-12-31");
  await add("odd, type", "GS, VER", 9, 2024);
  return tenant;
}

describe("{ credits { batches(filter) } }", () => {
  it.each([
    ["nothing", "", "true"],
    ["one type", 'filter: { creditTypes: ["EUA"] }', "credit_type = 'EUA'"],
    [
      "types in another case",
      'filter: { creditTypes: ["eua", "gs, ver"] }',
      "credit_type IN ('EUA', 'GS, VER')",
    ],
    ["a type with a comma", 'filter: { creditTypes: ["GS, VER", "none"] }', "credit_type = 'GS, VER'"],
    ["vintages", "filter: { vintages: [2024, 2023, 1999] }", "vintage IS NOT NULL"],
    ["one vintage", "filter: { vintages: [2023] }", "reference = 'whole'"],
    [
      "something available",
      "filter: { hasAvailable: true }",
      "reference IN ('large', 'whole', 'partly', 'odd, type')",
    ],
    ["nothing available", "filter: { hasAvailable: false }", "reference IN ('spent', 'sold')"],
    ["any, where that is null", "filter: { hasAvailable: null, creditTypes: [], vintages: [] }", "true"],
    [
      "all of these together",
      'filter: { creditTypes: ["VCS", "EUA"], vintages: [2024], hasAvailable: true }',
      "reference = 'large'",
    ],
  ])("returns what SQL returns, by type and reference: by %s", async (_what, filter, condition) => {
    const { slug, dataOf } = await newHolder();
    const expected = await runSql<object>(
      gateway.database,
      `SELECT b.id::text, reference, credit_type AS "creditType", vintage, quantity::float8 AS issued,
         sales::float8 AS sold, retirements::float8 AS retired, (quantity - sales - retirements)::float8 AS available
       FROM credit_batches b,
         LATERAL (SELECT coalesce(sum(s.quantity), 0) AS sales FROM credit_sales s WHERE s.batch_id = b.id) AS s,
         LATERAL (SELECT coalesce(sum(r.quantity), 0) AS retirements FROM credit_retirements r WHERE r.batch_id = b.id) AS r
       WHERE organization_id = ${ORGANIZATION} AND ${condition} ORDER BY credit_type, reference`,
      slug,
    );
    expect(expected.length).toBeGreaterThan(0);
    const data = await dataOf(`{ credits { batches${filter && `(${filter})`} {
      nodes { id reference creditType vintage issued sold retired available } totalCount
    } } }`);
    expect(data.credits.batches).toEqual({ nodes: expected, totalCount: expected.length });
  });

  it("returns each batch's sales by reference and its retirements latest first", async () => {
    const { dataOf } = await newHolder();
    const data = await dataOf(`{ credits { batches(filter: { vintages: [2024] }) { nodes {
      reference
      sales { reference quantity } oneSale: sales(first: 1) { reference }
      retirements { reference quantity retiredOn beneficiary } two: retirements(first: 2) { reference }
    } } } }`);
    const none = { sales: [], oneSale: [], retirements: [], two: [] };
    expect(data.credits.batches.nodes).toEqual([
      {
        ...none,
        reference: "sold",
        sales: [{ reference: "all", quantity: 5 }],
        oneSale: [{ reference: "all" }],
      },
      { ...none, reference: "odd, type" },
      {
        reference: "large",
        sales: [
          { reference: "Sale c", quantity: 2 },
          { reference: "sale a", quantity: 1 },
          { reference: "sale b", quantity: 2_500_000_000 },
        ],
        oneSale: [{ reference: "Sale c" }],
        retirements: [
          { reference: "R-3", quantity: 30, retiredOn: "2026-02-28", beneficiary: null },
          { reference: "R-2", quantity: 20, retiredOn: "2026-02-28", beneficiary: null },
          { reference: "R-1", quantity: 10, retiredOn: "2026-01-31", beneficiary: null },
        ],
        two: [{ reference: "R-3" }, { reference: "R-2" }],
      },
    ]);
  });

  it("returns 10 sales and 10 retirements of each batch by default", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const batches = [await addBatch(gateway.database, slug), await addBatch(gateway.database, slug)];
    for (const batch of batches) {
      for (let index = 0; index < 11; index += 1) {
        await addSale(gateway.database, batch, { quantity: 1 });
        await addRetirement(gateway.database, batch, { quantity: 1 });
      }
    }
    const data = await dataOf(
      "{ credits { batches { nodes { sold retired sales { id } retirements { id } } } } }",
    );
    for (const { sold, retired, sales, retirements } of data.credits.batches.nodes)
      expect([sold, retired, sales.length, retirements.length]).toEqual([11, 11, 10, 10]);
    expect(data.credits.batches.nodes).toHaveLength(2);
  });
});

describe("{ credits { retirements(filter) } }", () => {
  it.each([
    ["nothing", "", "true"],
    ["one type", 'filter: { creditTypes: ["VCS"] }', "credit_type = 'VCS'"],
    ["a type in another case", 'filter: { creditTypes: ["vcs"] }', "credit_type = 'VCS'"],
    ["two types", 'filter: { creditTypes: ["EUA", "VCS", "GS, VER"] }', "true"],
    [
      "days",
      'filter: { retiredOn: { from: "2026-02-28", to: "2026-03-01" } }',
      "retired_on IN ('2026-02-28', '2026-03-01')",
    ],
    ["one day", 'filter: { retiredOn: { from: "2025-12-31", to: "2025-12-31" } }', "r.reference = 'R-5'"],
    [
      "both",
      'filter: { creditTypes: ["VCS"], retiredOn: { from: "2026-01-01", to: "2026-02-28" } }',
      "r.reference IN ('R-1', 'R-2', 'R-3')",
    ],
  ])(
    "returns what SQL returns, latest first, each with its batch: by %s",
    async (_what, filter, condition) => {
      const { slug, dataOf } = await newHolder();
      const rows = await runSql<{ batch: string }>(
        gateway.database,
        `SELECT r.id::text, r.reference, r.quantity::float8 AS quantity, retired_on::text AS "retiredOn", b.reference AS batch
       FROM credit_retirements r JOIN credit_batches b ON b.id = batch_id
       WHERE r.organization_id = ${ORGANIZATION} AND ${condition} ORDER BY retired_on DESC, r.reference DESC`,
        slug,
      );
      expect(rows.length).toBeGreaterThan(0);
      const data = await dataOf(`{ credits { retirements${filter && `(${filter})`} {
      nodes { id reference quantity retiredOn batch { reference } } totalCount
    } } }`);
      expect(data.credits.retirements).toEqual({
        nodes: rows.map(({ batch, ...row }) => ({ ...row, batch: { reference: batch } })),
        totalCount: rows.length,
      });
    },
  );
});

describe("the totals of { credits }", () => {
  it("are exact past 2^31, also by type and vintage, without a vintage last", async () => {
    const { slug, dataOf } = await newHolder();
    const data = await dataOf(`{ credits {
      issuedCredits soldCredits retiredCredits availableCredits availableCount retiredCount
      byType { creditType quantity }
      byTypeAndVintage { creditType vintage batchCount issued sold retired available }
    } }`);
    const group = (
      creditType: string,
      vintage: number | null,
      issued: number,
      sold: number,
      retired: number,
    ) => ({
      creditType,
      vintage,
      batchCount: 1,
      issued,
      sold,
      retired,
      available: issued - sold - retired,
    });
    expect(data.credits).toEqual({
      issuedCredits: 9_000_000_121,
      soldCredits: 2_500_000_008,
      retiredCredits: 3_000_000_066,
      availableCredits: 3_500_000_047,
      availableCount: 4,
      retiredCount: 5,
      byType: [
        { creditType: "EUA", quantity: 1 },
        { creditType: "GS, VER", quantity: 9 },
        { creditType: "VCS", quantity: 3_500_000_037 },
      ],
      byTypeAndVintage: [
        group("EUA", 2024, 5, 5, 0),
        group("EUA", null, 3_000_000_000, 0, 2_999_999_999),
        group("GS, VER", 2024, 9, 0, 0),
        group("VCS", 2023, 100, 0, 0),
        group("VCS", 2024, 6_000_000_000, 2_500_000_003, 60),
        group("VCS", null, 7, 0, 7),
      ],
    });
    const [available] = await selectColumn(
      gateway.database,
      `SELECT (SELECT sum(quantity) FROM credit_batches WHERE organization_id = ${ORGANIZATION})
        - (SELECT sum(quantity) FROM credit_sales WHERE organization_id = ${ORGANIZATION})
        - (SELECT sum(quantity) FROM credit_retirements WHERE organization_id = ${ORGANIZATION})`,
      slug,
    );
    expect(data.credits.availableCredits).toBe(Number(available));
  });

  it("add up batches of one type and vintage", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    for (const quantity of [3_000_000_000, 4_000_000_000]) {
      const batch = await addBatch(gateway.database, slug, { quantity, vintage: 2024 });
      await addSale(gateway.database, batch, { quantity: 2_000_000_000 });
    }
    const data = await dataOf(
      "{ credits { byTypeAndVintage { vintage batchCount issued sold retired available } } }",
    );
    expect(data.credits.byTypeAndVintage).toEqual([
      { vintage: 2024, batchCount: 2, issued: 7e9, sold: 4e9, retired: 0, available: 3e9 },
    ]);
  });
});

describe("sums of credits beyond a SafeInt", () => {
  const MAX = 9_007_199_254_740_991n;

  it("are exact in Exact fields, and an error that names these in SafeInt fields", async () => {
    const { slug, ask, dataOf } = await newTenant(gateway);
    for (const _batch of ["one", "two", "three"])
      await addBatch(gateway.database, slug, { quantity: MAX, vintage: 2024 });
    const exact = await dataOf(`{ credits {
      availableCreditsExact retiredCreditsExact issuedCreditsExact soldCreditsExact availableCount
      byType { quantityExact } byTypeAndVintage { batchCount issuedExact soldExact retiredExact availableExact }
    } }`);
    const sum = "27021597764222973";
    expect(exact.credits).toEqual({
      availableCreditsExact: sum,
      issuedCreditsExact: sum,
      retiredCreditsExact: "0",
      soldCreditsExact: "0",
      availableCount: 3,
      byType: [{ quantityExact: sum }],
      byTypeAndVintage: [
        { batchCount: 3, issuedExact: sum, soldExact: "0", retiredExact: "0", availableExact: sum },
      ],
    });
    for (const [field, name] of [
      ["availableCredits", "availableCredits"],
      ["issuedCredits", "issuedCredits"],
      ["byType { quantity }", "quantity"],
      ["byTypeAndVintage { available }", "available"],
    ]) {
      const { body } = await ask(`{ credits { ${field} } }`);
      expect(body).toMatchObject({
        data: { credits: null },
        errors: [
          {
            message: `${name}: ${sum} exceeds the maximum of a SafeInt (2^53 - 1). Select ${name}Exact instead.`,
            extensions: { code: "BAD_USER_INPUT" },
          },
        ],
      });
    }
  });
});
