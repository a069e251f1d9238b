import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addBatch,
  addBenchmark,
  addDeadline,
  addFeed,
  addFramework,
  addPrice,
  addRecord,
  addRetirement,
  addSale,
} from "../support/fixtures.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  gateway.setNow(NOW);
  const { prisma } = gateway.database;
  // Every organization sees the platform's rows.
  await prisma.$transaction([
    prisma.benchmark.deleteMany(),
    prisma.marketPrice.deleteMany(),
    prisma.exchangeFeed.deleteMany(),
  ]);
});

describe("{ organization }", () => {
  it("is the key's organization", async () => {
    const { slug, dataOf } = await newTenant(gateway, {}, "Acme Steel GmbH");
    const { id } = await gateway.database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    expect(await dataOf("{ organization { id slug name } }")).toEqual({
      organization: { id, slug, name: "Acme Steel GmbH" },
    });
  });
});

describe("{ rateLimit }", () => {
  it("matches the headers, counting this request", async () => {
    const { ask } = await newTenant(gateway, { tier: "pro" });
    await ask("{ organization { slug } }");
    const { headers, body } = await ask("{ rateLimit { tier policy limit used remaining resetAt } }");
    const reset = Number(headers.get("x-ratelimit-reset"));

    expect(body).toEqual({
      data: {
        rateLimit: {
          tier: "PRO",
          policy: "pro",
          limit: 1_000,
          used: 2,
          remaining: 998,
          resetAt: new Date(reset * 1_000).toISOString(),
        },
      },
    });
    expect(headers.get("x-ratelimit-remaining")).toBe("998");
  });
});

describe("{ emissions }", () => {
  const EMISSIONS =
    "{ emissions { from to totalCo2eTonnes recordCount latestRecord byScope { scope co2eTonnes recordCount } } }";

  it("is zero in every scope of an organization without records", async () => {
    const { dataOf } = await newTenant(gateway);
    expect(await dataOf(EMISSIONS)).toEqual({
      emissions: {
        from: "2025-11-21",
        to: "2026-11-20",
        totalCo2eTonnes: 0,
        recordCount: 0,
        latestRecord: null,
        byScope: [
          { scope: "SCOPE_1", co2eTonnes: 0, recordCount: 0 },
          { scope: "SCOPE_2", co2eTonnes: 0, recordCount: 0 },
          { scope: "SCOPE_3", co2eTonnes: 0, recordCount: 0 },
        ],
      },
    });
  });

  it("sums the window exactly: 0.1 + 0.2 is 0.3", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const add = (values: object) => addRecord(gateway.database, slug, values);
    await add({ co2eTonnes: "0.1", recordedOn: "2025-11-21" });
    await add({ co2eTonnes: "0.2", recordedOn: "2026-11-19" });
    await add({ co2eTonnes: "3000000000.000001", scope: "scope_3", recordedOn: "2026-11-20" });
    await add({ co2eTonnes: "1000", recordedOn: "2025-11-20" });
    await add({ co2eTonnes: "1000", recordedOn: "2026-11-21" });

    expect(await dataOf(EMISSIONS)).toEqual({
      emissions: {
        from: "2025-11-21",
        to: "2026-11-20",
        totalCo2eTonnes: 3_000_000_000.300001,
        recordCount: 3,
        latestRecord: "2026-11-20",
        byScope: [
          { scope: "SCOPE_1", co2eTonnes: 0.3, recordCount: 2 },
          { scope: "SCOPE_2", co2eTonnes: 0, recordCount: 0 },
          { scope: "SCOPE_3", co2eTonnes: 3_000_000_000.000001, recordCount: 1 },
        ],
      },
    });
  });
});

describe("{ compliance }", () => {
  it("returns every framework in the contract's order, each with its next deadlines", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await addFramework(gateway.database, slug, { framework: "TCFD", status: "not_applicable" });
    await addFramework(gateway.database, slug, { framework: "SBTi", status: "pending_review" });
    await addFramework(gateway.database, slug, {
      framework: "CCTS",
      status: "action_required",
      lastUpdated: "2026-11-01T08:30:00.123Z",
    });
    const due = (framework: "CCTS" | "SBTi" | "CDP", title: string, dueDate: string, status = "pending") =>
      addDeadline(gateway.database, slug, { framework, title, dueDate, status });
    await due("CCTS", "Past", "2026-11-19");
    await due("CCTS", "Second", "2026-12-31", "in_preparation");
    await due("CCTS", "First", "2026-11-20");
    await due("CCTS", "Third", "2027-01-31");
    await due("SBTi", "Targets", "2026-12-01");
    await due("CDP", "Not registered", "2026-11-30");

    expect(
      await dataOf(`{
        compliance {
          frameworks { framework status lastUpdated upcomingDeadlines(first: 2) { title } }
          upcomingDeadlines(first: 4) { framework title dueDate status }
        }
      }`),
    ).toEqual({
      compliance: {
        frameworks: [
          {
            framework: "CCTS",
            status: "ACTION_REQUIRED",
            lastUpdated: "2026-11-01T08:30:00.123Z",
            upcomingDeadlines: [{ title: "First" }, { title: "Second" }],
          },
          {
            framework: "SBTi",
            status: "PENDING_REVIEW",
            lastUpdated: "2026-11-08T09:00:00.000Z",
            upcomingDeadlines: [{ title: "Targets" }],
          },
          {
            framework: "TCFD",
            status: "NOT_APPLICABLE",
            lastUpdated: "2026-11-08T09:00:00.000Z",
            upcomingDeadlines: [],
          },
        ],
        upcomingDeadlines: [
          { framework: "CCTS", title: "First", dueDate: "2026-11-20", status: "pending" },
          { framework: "CDP", title: "Not registered", dueDate: "2026-11-30", status: "pending" },
          { framework: "SBTi", title: "Targets", dueDate: "2026-12-01", status: "pending" },
          { framework: "CCTS", title: "Second", dueDate: "2026-12-31", status: "in_preparation" },
        ],
      },
    });
  });

  it.each([
    ["10 deadlines by default", "", 10],
    ["10 if it is null", "(first: null)", 10],
    ["1", "(first: 1)", 1],
    ["100", "(first: 100)", 12],
  ])("returns %s, in total and per framework", async (_what, argument, count) => {
    const { slug, dataOf } = await newTenant(gateway);
    await addFramework(gateway.database, slug);
    for (let day = 10; day < 22; day += 1)
      await addDeadline(gateway.database, slug, { dueDate: `2026-12-${day}` });
    const deadlines = Array.from({ length: count }, (_, index) => ({ dueDate: `2026-12-${10 + index}` }));

    expect(
      await dataOf(`{ compliance {
        upcomingDeadlines${argument} { dueDate }
        frameworks { upcomingDeadlines${argument} { dueDate } }
      } }`),
    ).toEqual({
      compliance: { upcomingDeadlines: deadlines, frameworks: [{ upcomingDeadlines: deadlines }] },
    });
  });
});

describe("{ credits }", () => {
  const CREDITS =
    "{ credits { availableCredits availableCount retiredCredits retiredCount byType { creditType quantity } } }";

  it("is zero for an organization without batches", async () => {
    const { dataOf } = await newTenant(gateway);
    expect(await dataOf(CREDITS)).toEqual({
      credits: { availableCredits: 0, availableCount: 0, retiredCredits: 0, retiredCount: 0, byType: [] },
    });
  });

  it("counts credits neither sold nor retired, past 2^31 too", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const large = await addBatch(gateway.database, slug, { creditType: "VCS", quantity: 6_000_000_000n });
    await addRetirement(gateway.database, large, { quantity: 2_500_000_000n });
    await addSale(gateway.database, large, { quantity: 1 });
    const small = await addBatch(gateway.database, slug, { creditType: "EUA", quantity: 5 });
    await addRetirement(gateway.database, small, { quantity: 2 });
    const spent = await addBatch(gateway.database, slug, { creditType: "CCC", quantity: 7 });
    await addSale(gateway.database, spent, { quantity: 7 });

    expect(await dataOf(CREDITS)).toEqual({
      credits: {
        availableCredits: 3_500_000_002,
        availableCount: 2,
        retiredCredits: 2_500_000_002,
        retiredCount: 2,
        byType: [
          { creditType: "EUA", quantity: 3 },
          { creditType: "VCS", quantity: 3_499_999_999 },
        ],
      },
    });
  });
});

describe("{ benchmarks(sector) }", () => {
  const sectorsLike = async (sector: string | null) => {
    const { dataOf } = await newTenant(gateway);
    const data = await dataOf(
      "query ($sector: String) { benchmarks(sector: $sector) { items { sector } } }",
      {
        sector,
      },
    );
    return data.benchmarks.items.map((item: { sector: string }) => item.sector);
  };

  it("returns the cited benchmarks, each with its publication", async () => {
    const { dataOf } = await newTenant(gateway);
    await addBenchmark(gateway.database, { sector: "Cement", intensity: null, unit: null });
    await addBenchmark(gateway.database, { sector: "Steel", sourceYear: 2022 });
    await addBenchmark(gateway.database, { sector: "Steel", sourceYear: 2024, intensity: "0.000000001" });
    await addBenchmark(gateway.database, { sector: "Uncited", sourceUrl: null });
    const publication = { source: "Sustainability Indicators", sourceUrl: "https://example.org/indicators" };
    const unit = "tCO2/t crude steel";

    expect(
      await dataOf("{ benchmarks { items { sector intensity unit source sourceUrl sourceYear } } }"),
    ).toEqual({
      benchmarks: {
        items: [
          { sector: "Cement", intensity: null, unit: null, ...publication, sourceYear: 2023 },
          { sector: "Steel", intensity: 1e-9, unit, ...publication, sourceYear: 2024 },
          { sector: "Steel", intensity: 1.91, unit, ...publication, sourceYear: 2022 },
        ],
      },
    });
  });

  it.each([
    ["part of a name, in upper or lower case", "sTEEL", ["Crude steel", "Steel 100% scrap"]],
    ["letters beyond ASCII in upper or lower case", "éNERGIE", ["Énergie"]],
    ["% as a plain character", "%", ["Steel 100% scrap"]],
    ["_ as a plain character", "_", ["pulp_and_paper"]],
    ["a backslash as a plain character", "\\", ["Oil\\Gas"]],
    ["a quotation mark as a plain character", "'", ["Potter's clay"]],
    ["a string that none contains", "steel'; DROP TABLE benchmarks; --", []],
    [
      "an empty string",
      "",
      ["Crude steel", "Oil\\Gas", "Potter's clay", "Steel 100% scrap", "pulp_and_paper", "Énergie"],
    ],
    [
      "null",
      null,
      ["Crude steel", "Oil\\Gas", "Potter's clay", "Steel 100% scrap", "pulp_and_paper", "Énergie"],
    ],
  ])("matches %s", async (_what, sector, expected) => {
    const sectors = [
      "Énergie",
      "Crude steel",
      "Steel 100% scrap",
      "pulp_and_paper",
      "Oil\\Gas",
      "Potter's clay",
    ];
    for (const name of sectors) await addBenchmark(gateway.database, { sector: name });
    expect(await sectorsLike(sector)).toEqual(expected);
  });
});

describe("{ market }", () => {
  it("returns the latest price per credit type and exchange, the platform's and the tenant's", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await addPrice(gateway.database, null, { asOf: "2026-11-17", price: 79 });
    await addPrice(gateway.database, null, { changePct24h: "-1.25", sourceUrl: "https://example.org/a?b=ü" });
    await addPrice(gateway.database, slug, {
      creditType: "CCC",
      exchange: "IEX",
      price: "790.000000001",
      currency: "INR",
      priceType: "exchange_feed",
      source: "IEX feed",
      asOf: null,
      recordedAt: "2026-11-20T09:59:59.123Z",
    });
    await addFeed(gateway.database, NOW);

    expect(
      await dataOf(`{
        market {
          prices {
            creditType exchange price currency changePercent24h priceType source sourceUrl asOf updatedAt
          }
          isLiveFeedConnected
        }
      }`),
    ).toEqual({
      market: {
        prices: [
          {
            creditType: "CCC",
            exchange: "IEX",
            price: 790.000000001,
            currency: "INR",
            changePercent24h: null,
            priceType: "EXCHANGE_FEED",
            source: "IEX feed",
            sourceUrl: null,
            asOf: null,
            updatedAt: "2026-11-20T09:59:59.123Z",
          },
          {
            creditType: "EUA",
            exchange: "EEX",
            price: 80.5,
            currency: "EUR",
            changePercent24h: -1.25,
            priceType: "REFERENCE",
            source: "EEX auction report",
            sourceUrl: "https://example.org/a?b=ü",
            asOf: "2026-11-18",
            updatedAt: "2026-11-18T12:00:00.000Z",
          },
        ],
        isLiveFeedConnected: true,
      },
    });
  });

  it("is empty without prices and without a feed", async () => {
    const { dataOf } = await newTenant(gateway);
    expect(await dataOf("{ market { prices { price } isLiveFeedConnected } }")).toEqual({
      market: { prices: [], isLiveFeedConnected: false },
    });
  });
});
