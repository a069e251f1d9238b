import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addBenchmark, addDeadline, addFramework } from "../support/fixtures.js";
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

describe("{ compliance }", () => {
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
