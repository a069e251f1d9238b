import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { readReferenceFactors } from "../../src/files/reference/factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to say
type Body = any;

let gateway: Gateway;
let organization: string;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  organization = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, organization, { tier: "enterprise" }));
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});
afterAll(() => gateway.stop());

async function results(items: readonly object[], by = key): Promise<Body[]> {
  const { status, body } = await gateway.call<Body>("/v1/calc/ghg", {
    method: "POST",
    headers: { "X-API-Key": by, "Content-Type": "application/json" },
    body: JSON.stringify({ items }),
  });
  expect([status, body.error]).toEqual([200, null]);
  return body.data.results;
}

const select = async (unit: string, selector: object, amount: number | string = 1000) =>
  (await results([{ amount, unit, selector }]))[0];

const DESNZ_2025 = "UK DESNZ, Greenhouse gas reporting: conversion factors 2025 (version 1, 10 June 2025)";
const DESNZ_2026 = "UK DESNZ, Greenhouse gas reporting: conversion factors 2026";
const EMBER = "Ember, yearly electricity data (life-cycle emission intensity)";

describe("a selector", () => {
  it.each([
    ["DE", 2025, 342.06, EMBER, ["LIFE_CYCLE"]],
    ["FR", 2026, 44.18, EMBER, ["LIFE_CYCLE"]],
    ["JP", 2025, 483.73, EMBER, ["LIFE_CYCLE"]],
    ["PL", 2025, 614.98, EMBER, ["LIFE_CYCLE"]],
    ["EU", 2025, 213.02, EMBER, ["LIFE_CYCLE"]],
    ["Europe", 2025, 213.02, EMBER, ["LIFE_CYCLE"]],
    ["Deutschland", 2025, 342.06, EMBER, ["LIFE_CYCLE"]],
    ["GB", 2025, 177, DESNZ_2025, []],
    ["GB", 2024, 177, DESNZ_2025, ["FACTOR_NEWER_THAN_ACTIVITY"]],
    ["GB", 2026, 130.96, DESNZ_2026, []],
    ["US", 2026, 351.642, "US EPA, GHG Emission Factors Hub (January 2025)", []],
    [
      "IN",
      2025,
      711.7,
      "Central Electricity Authority (India), CO2 Baseline Database, Version 21.0",
      ["CO2_ONLY"],
    ],
    [
      "IN",
      2026,
      678.033,
      "Central Electricity Authority (India), CO2 Baseline Database, Version 22.0",
      ["CO2_ONLY"],
    ],
    ["SG", 2025, 402, "Energy Market Authority, Singapore Energy Statistics, chapter 2", ["CO2_ONLY"]],
  ] as const)("finds the grid of %s in %i", async (region, year, kg, source, notices) => {
    const found = await select("kWh", { activity: "electricity", region, year });
    expect([found.co2e_kg, found.factor?.source, found.notices]).toEqual([kg, source, notices]);
    expect(found.precedence.filter(({ chosen }: Body) => chosen)).toEqual([{ source, chosen: true }]);
  });

  it("names the publications in their order of precedence", async () => {
    const found = await select("kWh", { activity: "Strom", region: "United Kingdom", year: 2025 });
    expect([found.reason, found.precedence]).toEqual([
      'the latest up to 2025, of Grid electricity, UK (generation) in UK; "Strom" means its direct use in the usual variant',
      [
        { source: DESNZ_2025, chosen: true },
        { source: EMBER, chosen: false },
      ],
    ]);
  });

  it.each([
    ["diesel", "GB", "litre", "2570.82"],
    ["DERV", "UK", "l", "2570.82"],
    ["gas", "GB", "kWh Hs", "182.96"],
    ["Erdgas", "GB", "kWh (Heizwert)", "202.7"],
    ["petrol", "GB", "Liter", "2069.16"],
    ["car", "GB", "km", "167.25"],
    ["train", "GB", "Personenkilometer", "35.46"],
    ["hotel", "DE", "room night", "13200"],
    ["diesel", "IN", "litre", "2521.32"],
  ])(
    "takes the word %s in %s, per %s, for direct use in its usual variant",
    async (activity, region, unit, kg) => {
      const found = await select(unit, { activity, region, year: 2025 });
      expect(found.co2e_kg_exact ?? found).toBe(kg);
    },
  );

  it("reaches every row of DESNZ 2025 by the row's own columns", async () => {
    const factors = await readReferenceFactors(REFERENCE_FOLDER);
    const rows = factors.filter(({ publication }) => publication === "desnz-2025");
    const items = rows.map((row) => ({
      amount: 1,
      unit: row.unit,
      selector: {
        category: row.publisher_category,
        activity: row.other_name ?? row.activity,
        detail: row.detail ?? undefined,
        scope: `scope_${row.scope}`,
        region: "UK",
        year: 2025,
      },
    }));
    const found: (string | undefined)[] = [];
    for (let from = 0; from < items.length; from += 100) {
      for (const { factor, error } of await results(items.slice(from, from + 100))) {
        found.push(factor?.source_factor_id ?? error.code);
      }
    }
    const missed = rows.flatMap((row, index) =>
      found[index] === row.source_factor_id ? [] : [[found[index], row]],
    );
    expect(missed).toEqual([]);
    expect(rows.length).toBe(2616);
  });
});
