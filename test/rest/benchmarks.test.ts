import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addBenchmark } from "../support/fixtures.js";
import { requestRaw } from "../support/raw.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d14";
const META = { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" };
const NONE = { benchmarks: [], message: "No sector benchmark with a cited source" };

let key: string;

const gateway = useGateway();
beforeAll(async () => {
  ({ key } = await makeKey(gateway.database, await makeOrganization(gateway.database)));
});
beforeEach(() => gateway.database.prisma.benchmark.deleteMany());

const add = (overrides: Parameters<typeof addBenchmark>[1]) => addBenchmark(gateway.database, overrides);
const data = async (by = key) => (await gateway.rest("/benchmarks", by)).body.data;

describe.each(["/api/v1/ext/v1", "/ext/v1"])("GET %s/benchmarks", (prefix) => {
  const answer = async () => {
    const headers = [["X-API-Key", key] as const, ["X-Request-Id", REQUEST_ID] as const];
    const { status, body } = await requestRaw(`${gateway.url}${prefix}/benchmarks`, { headers });
    return { status, body };
  };

  it("answers this exact JSON, with a message, if no benchmark exists", async () => {
    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({ success: true, data: NONE, error: null, meta: META }),
    });
  });

  it("answers this exact JSON, without a message, for one benchmark", async () => {
    await add({
      sector: "Crude steel (world average, all routes)",
      intensity: "1.91",
      unit: "tCO2/t crude steel cast",
      source: "World Steel Association, Sustainability Indicators 2023 report",
      sourceUrl: "https://example.org/sustainability-indicators-2023?a=1#table",
      sourceYear: 2023,
    });

    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: {
          benchmarks: [
            {
              sector: "Crude steel (world average, all routes)",
              intensity: 1.91,
              unit: "tCO2/t crude steel cast",
              source: "World Steel Association, Sustainability Indicators 2023 report",
              source_url: "https://example.org/sustainability-indicators-2023?a=1#table",
              source_year: 2023,
            },
          ],
          message: null,
        },
        error: null,
        meta: META,
      }),
    });
  });
});

describe("GET /ext/v1/benchmarks", () => {
  it.each([
    ["title", { source: null }],
    ["link", { sourceUrl: null }],
    ["year", { sourceYear: null }],
    ["title, which is blank", { source: " \t" }],
    ["link, which is empty", { sourceUrl: "" }],
    ["title, link and year", { source: null, sourceUrl: null, sourceYear: null }],
  ])("leaves out a benchmark without the %s of its publication", async (_missing, overrides) => {
    await add(overrides);
    expect(await data()).toEqual(NONE);
  });

  it("shows the cited benchmark if a sector also has one without a source", async () => {
    await add({ sector: "Cement", intensity: "0.6", source: null });
    await add({ sector: "Cement", intensity: "0.58" });

    expect(await data()).toEqual({
      benchmarks: [
        {
          sector: "Cement",
          intensity: 0.58,
          unit: "tCO2/t crude steel",
          source: "Sustainability Indicators",
          source_url: "https://example.org/indicators",
          source_year: 2023,
        },
      ],
      message: null,
    });
  });

  it("orders by sector, then latest year first", async () => {
    await add({ sector: "Steel", sourceYear: 2021 });
    await add({ sector: "Cement", sourceYear: 2019 });
    await add({ sector: "Steel", sourceYear: 2024 });
    await add({ sector: "Cement", sourceYear: 2022 });
    await add({ sector: "aluminium", sourceYear: 2025 });

    const { benchmarks } = (await data()) as { benchmarks: { sector: string; source_year: number }[] };
    expect(benchmarks.map(({ sector, source_year }) => [sector, source_year])).toEqual([
      ["Cement", 2022],
      ["Cement", 2019],
      ["Steel", 2024],
      ["Steel", 2021],
      ["aluminium", 2025],
    ]);
  });

  it("shows unknown intensities and units as null, and small figures exactly", async () => {
    await add({ sector: "A", intensity: null });
    await add({ sector: "B", unit: null });
    await add({ sector: "C", intensity: "0.000000001" });
    await add({ sector: "D", intensity: 0 });

    const { benchmarks } = (await data()) as { benchmarks: { intensity: unknown; unit: unknown }[] };
    expect(benchmarks.map(({ intensity, unit }) => [intensity, unit])).toEqual([
      [null, "tCO2/t crude steel"],
      [1.91, null],
      [0.000000001, "tCO2/t crude steel"],
      [0, "tCO2/t crude steel"],
    ]);
  });

  it("shows every tenant the same benchmarks", async () => {
    await add({});
    const other = await makeKey(gateway.database, await makeOrganization(gateway.database, "Other"));

    expect(await data(other.key)).toEqual(await data());
    expect(await data(other.key)).not.toEqual(NONE);
  });
});
