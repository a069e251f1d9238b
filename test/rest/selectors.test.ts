import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { readReferenceFactors } from "../../src/files/reference/reference-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import type { Body } from "../support/answers.js";
import { addFactor } from "../support/fixtures.js";
import { signUp } from "../support/people.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

let organization: string;
let key: string;

const gateway = useGateway();
beforeAll(async () => {
  organization = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, organization, { tier: "enterprise" }));
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

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
  ] as const)("finds grid electricity of %s in %i", async (region, year, kg, source, notices) => {
    const found = await select("kWh", { activity: "electricity", region, year });
    expect([found.co2e_kg, found.factor?.source, found.notices]).toEqual([kg, source, notices]);
    expect(found.precedence.filter(({ chosen }: Body) => chosen)).toEqual([{ source, chosen: true }]);
  });

  it("lists publications in order of precedence", async () => {
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
    ["van", "GB", "km", "254.3"],
    ["HGV", "GB", "tonne.km", "101.63"],
    ["home office", "GB", "FTE working hour", "333.78"],
  ])("reads %s in %s, per %s, as direct use of the usual variant", async (activity, region, unit, kg) => {
    const found = await select(unit, { activity, region, year: 2025 });
    expect(found.co2e_kg_exact ?? found).toBe(kg);
  });

  it("finds every row of DESNZ 2025 by its own columns", async () => {
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

describe("parts of a selector", () => {
  it.each([
    [
      "the publisher's first level",
      "kWh (gross CV)",
      { activity: "Natural gas", region: "UK", category: "Fuels" },
      "182.96",
    ],
    [
      "the publisher's second level",
      "kWh Hs",
      { activity: "Natural gas", region: "GB", category: "gaseous fuels", scope: "scope_1" },
      "182.96",
    ],
    [
      "the gateway's category",
      "kWh Hs",
      { activity: "Natural gas", region: "GB", category: "stationary_combustion" },
      "182.96",
    ],
    [
      "part of the detail",
      "pkm",
      {
        activity: "Short-haul, to/from UK",
        region: "GB",
        category: "Flights",
        detail: "economy class, with RF",
      },
      "125.76",
    ],
    [
      "a detail that repeats the unit",
      "kWh",
      { activity: "Electricity: UK", region: "GB", scope: "scope_2", detail: "kWh" },
      "177",
    ],
    ["the publisher's id alone", "kWh Hs", { source_factor_id: "1_100_1004_6_1" }, "182.96"],
    ["Ember's code", "kWh", { source_factor_id: "deu" }, "342.06"],
    ["a hotel's country", "room night", { activity: "Hotel stay", region: "DE" }, "13200"],
    [
      "the region of its publisher",
      "Übernachtung",
      { activity: "Germany", region: "UK", category: "Hotel stay" },
      "13200",
    ],
    ["a name that is a region", "room night", { activity: "Hotel stay", region: "Belgium" }, "12200"],
    [
      "the amount's own unit",
      "mile",
      { activity: "Average car", region: "UK", detail: "Diesel", category: "Business travel- land" },
      "278.49",
    ],
    ["an exact unit that is new", "million litres", { activity: "Water supply", region: "UK" }, "191301.56"],
  ])("may be %s", async (_name, unit, selector, kg) => {
    const found = await select(unit, { ...selector, year: 2025 });
    expect(found.co2e_kg_exact ?? found).toBe(kg);
  });

  it("match the next edition of a series in the publisher's category", async () => {
    const of = { activity: "Natural gas", region: "GB", category: "Fuels: Gaseous fuels" };
    expect((await select("kWh Hs", { ...of, year: 2026 })).co2e_kg_exact).toBe("182.31");
  });

  it("prefer the organization's own factor to publications", async () => {
    const slug = await makeOrganization(gateway.database);
    const { key: own } = await makeKey(gateway.database, slug);
    await addFactor(gateway.database, slug, {
      activity: "Electricity, our contract",
      region: "United Kingdom",
      category: "contract",
      factor: "0.05",
      unit: "kWh",
      dimension: "energy",
      scope: "scope_2",
      source: "Supplier",
      sourceYear: 2026,
    });
    const items = [
      { amount: 1000, unit: "kWh", selector: { activity: "electricity", region: "GB", year: 2025 } },
    ];
    const [[ours], [theirs]] = [await results(items, own), await results(items)];
    expect([ours.co2e_kg, theirs.co2e_kg]).toEqual([50, 177]);
    expect(ours.reason).toMatch(/^the oldest, as all of its series are newer than 2025, /);
    expect(ours.precedence).toEqual([
      { source: "Supplier", chosen: true },
      { source: DESNZ_2025, chosen: false },
      { source: EMBER, chosen: false },
    ]);
  });
});

const candidate = (parts: object) => ({
  id: expect.any(String),
  activity: "Natural gas",
  detail: null,
  region: "UK",
  region_code: "GB",
  scope: "scope_1",
  category: "stationary_combustion",
  source: DESNZ_2025,
  source_year: 2025,
  ...parts,
});
const GROSS = candidate({
  unit: "kWh (gross CV)",
  factor_exact: "0.18296",
  source_factor_id: "1_100_1004_6_1",
});
const NET = candidate({ unit: "kWh (net CV)", factor_exact: "0.2027", source_factor_id: "1_100_1004_7_1" });
const CUBIC = candidate({ unit: "m3", factor_exact: "2.06672", source_factor_id: "1_100_1004_1_1" });
const WELL_TO_TANK = candidate({
  scope: "scope_3",
  category: "WTT- fuels: Gaseous fuels",
  unit: "kWh (gross CV)",
  factor_exact: "0.03021",
  source_factor_id: expect.any(String),
});

describe("a selector without a unique factor", () => {
  const gas = { activity: "Natural gas", region: "UK", year: 2025 };

  it("reports the failed condition, and the available values", async () => {
    const found = await select("kWh", gas);
    expect(found).toEqual({
      error: {
        code: "FACTOR_NOT_FOUND",
        message:
          "Natural gas in UK has: kWh (gross CV), kWh (net CV), m3, tonne. A UK bill states gross calorific value.",
        failed_on: "unit",
        available: ["kWh (gross CV)", "kWh (net CV)", "m3", "tonne"],
        nearest: [GROSS, NET, CUBIC],
      },
    });
  });

  it.each([
    ["activity", "kWh", { activity: "Naturel gas" }, /no verified emission factor for "Naturel gas"/],
    [
      "region",
      "kWh",
      { region: "Atlantis" },
      /^Atlantis is not a region\. Natural gas has factors for: UK, /,
    ],
    ["region", "kWh", { region: "DE" }, /^Natural gas has no factor for DE\. /],
    [
      "scope",
      "kWh Hs",
      { scope: "scope_2" },
      /^Natural gas in UK has no scope scope_2\. It has: scope_1, scope_3\.$/,
    ],
    ["category", "kWh Hs", { category: "Waste" }, /^Natural gas in UK has no category Waste\. /],
    ["detail", "kWh Hs", { detail: "Wet" }, /^Natural gas in UK has no detail Wet\. It has: none\.$/],
    ["gas", "kWh Hs", { gas: "CH4" }, /^Natural gas in UK has no gas CH4\. It has: CO2e\.$/],
    ["source_factor_id", "kWh", { source_factor_id: "x\u0000" }, /^No emission factor has/],
  ])("reports %s as the failed condition", async (failedOn, unit, parts, message) => {
    const { error } = await select(unit, { ...gas, ...parts });
    expect(error).toEqual({
      code: "FACTOR_NOT_FOUND",
      message: expect.stringMatching(message),
      failed_on: failedOn,
      available: expect.any(Array),
      nearest: expect.any(Array),
    });
    expect(error.available.length).toBeLessThanOrEqual(20);
    expect(error.nearest.length).toBeLessThanOrEqual(3);
  });

  it("lists the candidates and the fields that differ", async () => {
    expect(await select("kWh Hs", gas)).toEqual({
      error: {
        code: "AMBIGUOUS_FACTOR",
        message: expect.stringMatching(/^2 emission factors match\. Choose one by its id: /),
        differ_by: ["category", "scope"],
        candidates: [GROSS, WELL_TO_TANK],
        candidate_count: 2,
      },
    });
    const { error } = await select("km", { activity: "Average car", region: "UK", year: 2025 });
    expect([error.differ_by, error.candidates.length, error.candidate_count > 10]).toEqual([
      ["category", "detail", "scope"],
      10,
      true,
    ]);
  });

  it.each([
    ["ton", ["tonne", "short ton", "long ton"]],
    ["Gallons", ["US gallon", "imperial gallon"]],
  ])("gets AMBIGUOUS_UNIT for %s", async (unit, available) => {
    const error = { code: "AMBIGUOUS_UNIT", message: expect.stringContaining(" can mean a "), available };
    const [bySelector, byGas] = await results([
      { amount: 1, unit, selector: { activity: "diesel", region: "GB" } },
      { amount: 1, unit, gas: "CO2" },
    ]);
    expect([bySelector, byGas]).toEqual([{ error }, { error }]);
  });

  it("needs an activity and a region, or the publisher's id", async () => {
    expect((await select("kWh", { region: "GB" })).error.code).toBe("VALIDATION_FAILED");
    expect((await select("kWh", { activity: "gas" })).error.code).toBe("VALIDATION_FAILED");
  });

  it("gets the same error in GraphQL, and when a record is added", async () => {
    const ada = await signUp(gateway);
    const activity = {
      amount: "1",
      unit: "kWh",
      selector: { activity: "Natural gas", region: "UK", year: 2025 },
    };
    const { body: calculated } = await ada.graphql(
      `query ($items: [ActivityInput!]!) { calculate(items: $items) { results { error {
        code failedOn available nearest { sourceFactorId regionCode } differBy candidates { id } candidateCount } } } }`,
      { items: [activity, { ...activity, unit: "kWh Hs" }] },
    );
    const nearest = [GROSS, NET, CUBIC].map((one: Body) => ({
      sourceFactorId: one.source_factor_id,
      regionCode: "GB",
    }));
    const none = {
      failedOn: null,
      available: [],
      nearest: [],
      differBy: [],
      candidates: [],
      candidateCount: null,
    };
    expect(calculated.data.calculate.results).toEqual([
      {
        error: { ...none, code: "FACTOR_NOT_FOUND", failedOn: "unit", available: expect.any(Array), nearest },
      },
      {
        error: {
          ...none,
          code: "AMBIGUOUS_FACTOR",
          differBy: ["category", "scope"],
          candidates: [{ id: expect.any(String) }, { id: expect.any(String) }],
          candidateCount: 2,
        },
      },
    ]);
    const input = [{ recordedOn: "2025-06-30", scope: "SCOPE_1", activity }];
    const { body: added } = await ada.graphql(
      "mutation ($input: [EmissionRecordInput!]!) { createEmissionRecords(input: $input) { createdCount } }",
      { input },
    );
    expect(added.errors?.[0]?.extensions).toMatchObject({
      code: "FACTOR_NOT_FOUND",
      failedOn: "unit",
      available: ["kWh (gross CV)", "kWh (net CV)", "m3", "tonne"],
      nearest: [{ sourceFactorId: "1_100_1004_6_1", regionCode: "GB", factorExact: "0.18296" }, {}, {}],
      details: [{ path: expect.stringMatching(/activity\.unit$/) }],
    });
  });

  it("is stored with the record as it was sent", async () => {
    const ada = await signUp(gateway);
    const { body } = await ada.call<Body>("/v1/emissions/records", {
      json: {
        recorded_on: "2025-06-30",
        scope: "scope_2",
        activity: { amount: 12_000, unit: "kWh", selector: { activity: "Strom", region: "GB" } },
      },
    });
    expect([
      body.data.co2e_tonnes_exact,
      body.data.activity.selector,
      body.data.calculation.precedence.length,
    ]).toEqual([
      "2.124",
      {
        activity: "Strom",
        region: "GB",
        year: null,
        scope: null,
        category: null,
        detail: null,
        source_factor_id: null,
        gas: null,
        allow_global: false,
      },
      2,
    ]);
  });
});
