import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addPrice } from "../support/fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  // Every organization sees the platform's rows.
  const { prisma } = gateway.database;
  await prisma.$transaction([prisma.benchmark.deleteMany(), prisma.marketPrice.deleteMany()]);
});

const add = (owner: string | null, asOf: string | null, price: string | number, more: object = {}) =>
  addPrice(gateway.database, owner, { asOf, price, ...more });

describe("{ market { instruments } }", () => {
  it("returns each with its latest price, by day and then by recording time, without a day last", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await add(slug, null, 1, { recordedAt: "2026-11-20T09:00:00.000Z" });
    await add(slug, "2026-11-17", 2, { recordedAt: "2026-11-19T09:00:00.000Z" });
    await add(slug, "2026-11-18", 3, { recordedAt: "2026-11-18T09:00:00.000Z" });
    await add(null, "2026-11-18", 4, { recordedAt: "2026-11-18T09:00:00.001Z" });
    await add(slug, null, 5, { exchange: "Undated" });
    const data = await dataOf(`{ market { instruments { nodes {
      creditType exchange latestPrice { price asOf updatedAt } history { price }
    } totalCount } } }`);
    expect(data.market.instruments).toEqual({
      nodes: [
        {
          creditType: "EUA",
          exchange: "EEX",
          latestPrice: { price: 4, asOf: "2026-11-18", updatedAt: "2026-11-18T09:00:00.001Z" },
          history: [4, 3, 2, 1].map((price) => ({ price })),
        },
        {
          creditType: "EUA",
          exchange: "Undated",
          latestPrice: { price: 5, asOf: null, updatedAt: "2026-11-18T12:00:00.000Z" },
          history: [{ price: 5 }],
        },
      ],
      totalCount: 2,
    });
  });

  it("shows the platform's prices and the tenant's, never another tenant's", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const other = await newTenant(gateway);
    await add(null, "2026-11-16", 70);
    await add(slug, "2026-11-17", 71);
    await add(other.slug, "2026-11-18", 72);
    await add(other.slug, "2026-11-18", 73, { exchange: "Theirs" });
    await add(slug, "2026-11-18", 74, { exchange: "Ours" });
    const query =
      "{ market { instruments { nodes { exchange history { price } change { amount } } totalCount } prices { price } } }";
    expect((await dataOf(query)).market).toEqual({
      instruments: {
        nodes: [
          { exchange: "EEX", history: [{ price: 71 }, { price: 70 }], change: { amount: 1 } },
          { exchange: "Ours", history: [{ price: 74 }], change: null },
        ],
        totalCount: 2,
      },
      prices: [{ price: 71 }, { price: 74 }],
    });
    expect((await other.dataOf(query)).market).toEqual({
      instruments: {
        nodes: [
          { exchange: "EEX", history: [{ price: 72 }, { price: 70 }], change: { amount: 2 } },
          { exchange: "Theirs", history: [{ price: 73 }], change: null },
        ],
        totalCount: 2,
      },
      prices: [{ price: 72 }, { price: 73 }],
    });
  });

  it.each([
    ["nothing", "", ["CCC IEX", "EUA EEX", "EUA ICE", "VCS X, Y"]],
    ["a type", 'filter: { creditTypes: ["EUA"] }', ["EUA EEX", "EUA ICE"]],
    ["types of which one does not exist", 'filter: { creditTypes: ["CCC", "ccc"] }', ["CCC IEX"]],
    ["a type in another case", 'filter: { creditTypes: ["eua"] }', ["EUA EEX", "EUA ICE"]],
    ["an exchange in another case", 'filter: { exchanges: ["ice"] }', ["EUA ICE"]],
    ["exchanges", 'filter: { exchanges: ["ICE", "X, Y"] }', ["EUA ICE", "VCS X, Y"]],
    ["both", 'filter: { creditTypes: ["EUA", "VCS"], exchanges: ["ICE", "IEX"] }', ["EUA ICE"]],
    ["an exchange that does not exist", 'filter: { exchanges: ["NYSE"] }', []],
    [
      "nothing, if the lists are empty",
      "filter: { creditTypes: [], exchanges: null }",
      ["CCC IEX", "EUA EEX", "EUA ICE", "VCS X, Y"],
    ],
  ])("are filtered by %s", async (_what, filter, expected) => {
    const { slug, dataOf } = await newTenant(gateway);
    for (const [creditType, exchange] of [
      ["VCS", "X, Y"],
      ["EUA", "ICE"],
      ["EUA", "EEX"],
      ["CCC", "IEX"],
    ])
      await add(slug, "2026-11-18", 1, { creditType, exchange });
    const data = await dataOf(
      `{ market { instruments${filter && `(${filter})`} { nodes { creditType exchange } totalCount } } }`,
    );
    const { nodes, totalCount } = data.market.instruments;
    expect(
      nodes.map((node: { creditType: string; exchange: string }) => `${node.creditType} ${node.exchange}`),
    ).toEqual(expected);
    expect(totalCount).toBe(expected.length);
  });

  it("leave prices with future dates out of the latest, history, change and count", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await add(slug, "2026-11-19", 1);
    await add(slug, "2026-11-20", 2);
    await add(slug, "2026-11-21", 3);
    await add(slug, "2026-11-21", 4, { exchange: "ICE" });
    const data = await dataOf(`{ market { instruments { totalCount nodes {
      exchange latestPrice { price } history { price } change { amount }
    } } } }`);
    expect(data.market.instruments).toEqual({
      totalCount: 1,
      nodes: [
        {
          exchange: "EEX",
          latestPrice: { price: 2 },
          history: [{ price: 2 }, { price: 1 }],
          change: { amount: 1 },
        },
      ],
    });
  });

  it("keeps every digit of a price", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await add(slug, "2026-11-18", "123456789012345.123456789");
    await add(slug, "2026-11-17", "123456789012345.023456789");
    const data = await dataOf(`{ market { instruments { nodes {
      latestPrice { priceExact price } change { amount previous { priceExact asOf } }
    } } } }`);
    expect(data.market.instruments.nodes).toEqual([
      {
        latestPrice: { priceExact: "123456789012345.123456789", price: Number("123456789012345.123456789") },
        change: { amount: 0.1, previous: { priceExact: "123456789012345.023456789", asOf: "2026-11-17" } },
      },
    ]);
  });
});

describe("{ market { instruments { history } } }", () => {
  const historyOf = async (argument: string) => {
    const { slug, dataOf } = await newTenant(gateway);
    for (const exchange of ["EEX", "ICE"]) {
      await add(slug, null, 9, { exchange });
      for (const [asOf, price] of [
        ["2025-12-31", 1],
        ["2026-01-01", 2],
        ["2026-01-31", 3],
        ["2026-02-01", 4],
      ] as const)
        await add(slug, asOf, price, { exchange });
    }
    const data = await dataOf(`{ market { instruments { nodes { history${argument} { price } } } } }`);
    const [first, second] = data.market.instruments.nodes.map(
      ({ history }: { history: { price: number }[] }) => history.map(({ price }) => price),
    );
    expect(second).toEqual(first);
    return first;
  };

  it.each([
    ["all, latest first and without a day last", "", [4, 3, 2, 1, 9]],
    ["as many of each as requested", "(first: 2)", [4, 3]],
    [
      "those of a range, its first and last day among them",
      '(range: { from: "2026-01-01", to: "2026-01-31" })',
      [3, 2],
    ],
    ["the latest of a range", '(range: { from: "2025-12-31", to: "2026-01-31" }, first: 1)', [3]],
    ["none of a range without any", '(range: { from: "2024-01-01", to: "2024-12-31" })', []],
    ["all if the range is null", "(range: null)", [4, 3, 2, 1, 9]],
  ])("returns %s", async (_what, argument, expected) => {
    expect(await historyOf(argument)).toEqual(expected);
  });

  it("returns 30 prices by default", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    for (let day = 1; day <= 31; day += 1) await add(slug, `2026-10-${String(day).padStart(2, "0")}`, day);
    const data = await dataOf("{ market { instruments { nodes { history { price } } } } }");
    expect(data.market.instruments.nodes[0].history.map(({ price }: { price: number }) => price)).toEqual(
      Array.from({ length: 30 }, (_, index) => 31 - index),
    );
  });
});

describe("{ market { instruments { change } } }", () => {
  it.each([
    ["a rise", ["80", "100"], { amount: 20, percent: 25 }],
    ["a fall", ["80", "79"], { amount: -1, percent: -1.25 }],
    ["a change of a third", ["3", "4"], { amount: 1, percent: 33.333333 }],
    ["no change", ["80.5", "80.500"], { amount: 0, percent: 0 }],
    ["a difference that floats cannot represent", ["0.1", "0.3"], { amount: 0.2, percent: 200 }],
    ["only the last two prices", ["1", "50", "75"], { amount: 25, percent: 50 }],
    ["a zero price before", ["0", "3"], { amount: 3, percent: null }],
    ["a zero price now", ["3", "0"], { amount: -3, percent: -100 }],
    ["one price", ["80"], null],
    ["a different currency before", ["80", "7000 INR"], null],
    ["a different currency two prices ago", ["80", "7000 INR", "7700 INR"], { amount: 700, percent: 10 }],
  ] as const)("is correct for %s", async (_what, prices, expected) => {
    const { slug, dataOf } = await newTenant(gateway);
    for (const [index, written] of prices.entries()) {
      const [price = "", currency = "EUR"] = written.split(" ");
      await add(slug, `2026-11-1${index}`, price, { currency });
    }
    const data = await dataOf("{ market { instruments { nodes { change { amount percent } } } } }");
    expect(data.market.instruments.nodes).toEqual([{ change: expected }]);
  });
});

describe("{ benchmarks(sector, region) }", () => {
  it.each([
    ["nothing", "", ["Cement EU", "Steel EU", "Steel Global", "Steel null"]],
    ["a region", '(region: "EU")', ["Cement EU", "Steel EU"]],
    ["a region in lower case", '(region: "global")', ["Steel Global"]],
    ["part of a region's name, which matches none", '(region: "E")', []],
    ["both", '(sector: "ste", region: "eu")', ["Steel EU"]],
    [
      "nothing, if both are null",
      "(sector: null, region: null)",
      ["Cement EU", "Steel EU", "Steel Global", "Steel null"],
    ],
  ])("are filtered by %s", async (_what, argument, expected) => {
    const { dataOf } = await newTenant(gateway);
    await gateway.database.prisma.benchmark.createMany({
      data: [
        { sector: "Steel", region: "EU", unit: "1" },
        { sector: "Steel", region: "Global", unit: "2" },
        { sector: "Steel", unit: "3" },
        { sector: "Cement", region: "EU", unit: "4" },
      ].map((row) => ({ ...row, source: "Report", sourceUrl: "https://example.org", sourceYear: 2024 })),
    });
    const data = await dataOf(`{ benchmarks${argument} { items { sector region } } }`);
    expect(
      data.benchmarks.items.map(
        (item: { sector: string; region: string | null }) => `${item.sector} ${item.region}`,
      ),
    ).toEqual(expected);
  });

  it("states the region and period of a figure as published", async () => {
    const { dataOf } = await newTenant(gateway);
    const cited = { source: "Report", sourceUrl: "https://example.org", sourceYear: 2024 };
    await gateway.database.prisma.benchmark.createMany({
      data: [
        { ...cited, sector: "Aluminium", region: "EU", period: "2026-2030" },
        { ...cited, sector: "Cement" },
      ],
    });
    expect((await dataOf("{ benchmarks { items { sector region period } } }")).benchmarks.items).toEqual([
      { sector: "Aluminium", region: "EU", period: "2026-2030" },
      { sector: "Cement", region: null, period: null },
    ]);
  });
});
