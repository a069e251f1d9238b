import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import type { Body } from "../support/answers.js";
import { addFactor } from "../support/fixtures.js";
import { type Answer, makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

let organization: string;
let key: string;
/** Response sent before the emission factors were loaded. */
let withoutFactors: Answer<Body>;

const gateway = useGateway();
beforeAll(async () => {
  organization = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, organization));
  withoutFactors = await post([{ amount: 1, unit: "kWh", selector: uk("Natural gas") }]);
  expect(await loadFactors(gateway.database, REFERENCE_FOLDER)).toEqual({
    added: 2931,
    updated: 0,
    unchanged: 0,
  });
});

const post = (items: unknown, by = key, path = "/v1/calc/ghg") =>
  gateway.call<Body>(path, {
    method: "POST",
    headers: { "X-API-Key": by, "Content-Type": "application/json" },
    body: JSON.stringify({ items }),
  });

async function results(...items: object[]): Promise<Body[]> {
  const { status, body } = await post(items);
  expect([status, body.error]).toEqual([200, null]);
  return body.data.results;
}

const list = async (query: string, by = key) => {
  const { status, body } = await gateway.call<Body>(`/v1/emission-factors?${query}`, {
    headers: { "X-API-Key": by },
  });
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};

const uk = (activity: string, more = {}) => ({ activity, region: "UK", year: 2025, ...more });

/** Items to calculate, with the kilograms, tonnes, factor and notices expected of each. */
const EXAMPLES: [string, object, [kg: string, tonnes: number, factor: number | null, notices: string[]]][] = [
  [
    "natural gas, gross CV",
    { amount: 12_000, unit: "kWh (gross CV)", selector: uk("Natural gas", { scope: "scope_1" }) },
    ["2195.52", 2.19552, 0.18296, []],
  ],
  [
    "diesel",
    { amount: "1250.5", unit: "l", selector: uk("diesel (average biofuel blend)", { scope: "scope_1" }) },
    ["3214.81041", 3.21481, 2.57082, []],
  ],
  [
    "the grid of India",
    {
      amount: 85_000,
      unit: "kWh",
      selector: { activity: "Grid electricity, India", region: "India", year: 2026 },
    },
    ["57632.805", 57.632805, 0.678033, ["CO2_ONLY"]],
  ],
  ["R-410A", { amount: 2.5, unit: "kg", selector: uk("R-410A release") }, ["4810", 4.81, 1924, []]],
  [
    "a flight",
    { amount: 3200, unit: "passenger.km", selector: uk("Flight, short-haul, economy, with RF") },
    ["402.432", 0.402432, 0.12576, []],
  ],
  [
    "the grid of the UK",
    { amount: 4200, unit: "kWh", selector: uk("Electricity: UK", { scope: "scope_2" }) },
    ["743.4", 0.7434, 0.177, []],
  ],
  [
    "its losses",
    {
      amount: 4200,
      unit: "kWh",
      selector: uk("Grid electricity, UK (transmission and distribution losses)", { scope: "scope_3" }),
    },
    ["77.826", 0.077826, 0.01853, []],
  ],
  [
    "gas of a factor per TJ, net",
    {
      amount: 5000,
      unit: "kWh (net CV)",
      selector: { activity: "Natural gas", region: "Germany", year: 2025, allow_global: true },
    },
    ["1009.8", 1.0098, 56_100, ["CO2_ONLY"]],
  ],
  [
    "diesel in litres, of a factor per US gallon",
    {
      amount: "378.5411784",
      unit: "litre",
      selector: { activity: "Diesel fuel (motor)", region: "USA", year: 2025 },
    },
    ["1021", 1.021, 10.21, ["CO2_ONLY"]],
  ],
  ["CO2", { amount: 1000, unit: "kg", gas: "CO2" }, ["1000", 1, null, []]],
  ["CH4", { amount: 10, unit: "kg", gas: "CH4" }, ["270", 0.27, null, []]],
  ["N2O", { amount: 2, unit: "kg", gas: "N2O" }, ["546", 0.546, null, []]],
  ["CH4 of AR5", { amount: 10, unit: "kg", gas: "CH4", gwp: "AR5" }, ["280", 0.28, null, []]],
  ["N2O of AR5", { amount: 2, unit: "kg", gas: "N2O", gwp: "AR5" }, ["530", 0.53, null, []]],
  ["fossil CH4", { amount: "0.01", unit: "t", gas: "CH4", fossil: true }, ["298", 0.298, null, []]],
];

describe("POST /v1/calc/ghg", () => {
  it.each(EXAMPLES)("calculates %s to the last digit", async (_name, item, [kg, tonnes, factor, notices]) => {
    const [result] = await results(item);
    expect({ ...result, factor: result.factor?.factor ?? null }).toEqual({
      co2e_kg: Number(kg),
      co2e_kg_exact: kg,
      co2e_tonnes: tonnes,
      co2e_tonnes_exact: String(tonnes),
      formula: expect.stringContaining(` = ${kg} kg CO2e`),
      reason: expect.any(String),
      precedence: result.factor === null ? [] : [{ source: result.factor.source, chosen: true }],
      factor,
      notices,
    });
  });

  it("answers this exact JSON: results in order, with an error in place of a faulty item", async () => {
    const item = {
      amount: 12_000,
      unit: "kWh (gross CV)",
      selector: uk("natural GAS", { scope: "scope_1" }),
    };
    const { status, body } = await post([item, { amount: 1, unit: "kg" }]);
    expect([status, body.data]).toEqual([
      200,
      {
        results: [
          {
            co2e_kg: 2195.52,
            co2e_kg_exact: "2195.52",
            co2e_tonnes: 2.19552,
            co2e_tonnes_exact: "2.19552",
            formula: "12000 kWh (gross CV) × 0.18296 kg CO2e per kWh (gross CV) = 2195.52 kg CO2e",
            factor: {
              id: expect.any(String),
              activity: "Natural gas",
              other_name: null,
              detail: null,
              region: "UK",
              region_code: "GB",
              scope: "scope_1",
              category: "stationary_combustion",
              publisher_category: "Fuels: Gaseous fuels",
              gas: "CO2e",
              factor: 0.18296,
              factor_exact: "0.18296",
              unit: "kWh (gross CV)",
              source: "UK DESNZ, Greenhouse gas reporting: conversion factors 2025 (version 1, 10 June 2025)",
              source_url:
                "https://www.gov.uk/government/publications/greenhouse-gas-reporting-conversion-factors-2025",
              source_year: 2025,
              source_factor_id: "1_100_1004_6_1",
              verified: true,
              is_own: false,
            },
            reason: "the latest up to 2025, of Natural gas in UK",
            precedence: [
              {
                source:
                  "UK DESNZ, Greenhouse gas reporting: conversion factors 2025 (version 1, 10 June 2025)",
                chosen: true,
              },
            ],
            notices: [],
          },
          {
            error: {
              code: "VALIDATION_FAILED",
              message: "expected exactly one of a factor id, a selector and a gas",
            },
          },
        ],
      },
    ]);
    expect((await post([item], key, "/api/v1/calc/ghg")).body.data.results[0]).toEqual(body.data.results[0]);
  });

  it("uses the latest factor up to the year, or the oldest if all are newer", async () => {
    const of = (year?: number) => ({
      amount: 1000,
      unit: "kWh",
      selector: { activity: "Grid electricity, UK (generation)", region: "UK", scope: "scope_2", year },
    });
    const found = await results(of(2030), of(2026), of(2025), of(2019), of());
    expect(found.map(({ co2e_kg, notices, reason }) => [co2e_kg, notices, reason.split(",")[0]])).toEqual([
      [130.96, [], "the latest up to 2030"],
      [130.96, [], "the latest up to 2026"],
      [177, [], "the latest up to 2025"],
      [177, ["FACTOR_NEWER_THAN_ACTIVITY"], "the oldest"],
      [130.96, [], "the latest up to 2026"],
    ]);
  });

  it("finds a factor by either name, but not by a name with the year as a suffix", async () => {
    const by = (activity: string, year = 2026) => ({
      amount: 1,
      unit: "passenger.km",
      selector: { activity, region: "UK", year, scope: "scope_3" },
    });
    const found = await results(by("Rail, national"), by("National rail"), by("Rail, national, 2026 set"));
    expect(found.map(({ factor, error }) => factor?.factor ?? error.code)).toEqual([
      0.03092,
      0.03092,
      "FACTOR_NOT_FOUND",
    ]);
  });

  it("reports if no emission factors are loaded", () => {
    expect(withoutFactors.body.data.results[0].error).toMatchObject({
      code: "FACTOR_NOT_FOUND",
      message:
        'selector.activity: there is no verified emission factor for "Natural gas". No emission factors are loaded. The gateway\'s operator can load them with load-factors.',
    });
  });

  it("reports why an item cannot be calculated", async () => {
    const gross = { amount: 1, unit: "kWh (gross CV)" };
    const gas = { activity: "Natural gas", region: "Global" };
    const [{ id }] = (await list("search=natural gas&region=Global")).items;
    const found = await results(
      { ...gross, factor_id: id },
      { ...gross, selector: gas },
      { ...gross, unit: "kWh (net CV)", selector: { ...gas, region: "Atlantis" } },
      { ...gross, selector: uk("Natural gas") },
      { ...gross, selector: uk("Naturel gas", { scope: "scope_1" }) },
      { ...gross, factor_id: "00000000-0000-4000-8000-000000000001" },
      { ...gross, factor_id: "1" },
      { ...gross, amount: -1, factor_id: id },
      { ...gross, amount: "1000000000000001", gas: "CH4" },
      { ...gross, gas: "CH4" },
      { amount: 1, unit: "kg", gas: "R-999" },
      { amount: 1, unit: "kg", gas: "SF6", fossil: true },
      { amount: 1, unit: "kg", gas: "R-404A", gwp: "AR4" },
    );
    const CV = "Gross and net calorific values, Nm3 and m3, and volume and mass are never converted.";
    expect(found.map(({ error }) => [error.code, error.message])).toEqual([
      ["UNIT_MISMATCH", `unit: expected a unit that converts to TJ (net CV), got kWh (gross CV). ${CV}`],
      ["FACTOR_NOT_FOUND", "Natural gas in Global has: TJ (net CV)."],
      [
        "FACTOR_NOT_FOUND",
        "Atlantis is not a region. Natural gas has factors for: UK, Canada, Global, India, USA.",
      ],
      [
        "AMBIGUOUS_FACTOR",
        expect.stringMatching(/^2 emission factors match\. Choose one by its id: .*scope 1;.*scope 3;/),
      ],
      [
        "FACTOR_NOT_FOUND",
        'selector.activity: there is no verified emission factor for "Naturel gas". The most similar names are "Natural gas", "Natural gas (Ontario)", "Gas oil".',
      ],
      ["FACTOR_NOT_FOUND", "There is no emission factor with the id 00000000-0000-4000-8000-000000000001."],
      ["FACTOR_NOT_FOUND", "There is no emission factor with the id 1."],
      ["VALIDATION_FAILED", "amount: expected 0 to 10^15 with at most 12 decimals, got -1"],
      ["VALIDATION_FAILED", "amount: expected 0 to 10^15 with at most 12 decimals, got 1000000000000001"],
      ["UNIT_MISMATCH", `unit: expected a unit that converts to kg, got kWh (gross CV). ${CV}`],
      [
        "VALIDATION_FAILED",
        "gas: expected CO2, CH4, N2O, SF6, NF3 or a refrigerant such as R-410A, got R-999",
      ],
      ["VALIDATION_FAILED", "fossil: expected only with the gas CH4, got SF6"],
      ["VALIDATION_FAILED", "gwp: expected AR5 or AR6 for R-404A, got AR4"],
    ]);
  });

  it("refuses an invalid body, and reports all its problems", async () => {
    const item = { amount: 1, unit: "kg", gas: "CO2" };
    const problems = async (items: unknown) => {
      const { status, body } = await post(items);
      return [status, body.error.code, body.error.details?.map(({ path }: { path: string }) => path)];
    };
    expect(await problems([])).toEqual([422, "VALIDATION_FAILED", ["items"]]);
    expect(await problems(Array(101).fill(item))).toEqual([422, "VALIDATION_FAILED", ["items"]]);
    expect(await problems([item, { ...item, amount: null }, { ...item, gwp: "AR3", factorId: "x" }])).toEqual(
      [422, "VALIDATION_FAILED", ["items[1].amount", "items[2].gwp", "items[2].factorId"]],
    );
    expect((await results(...Array(100).fill(item))).length).toBe(100);
  });

  it("needs read:emissions", async () => {
    const { key: other } = await makeKey(gateway.database, organization, { scopes: ["read:credits"] });
    expect((await post([{ amount: 1, unit: "kg", gas: "CO2" }], other)).status).toBe(401);
  });
});

describe("{ calculate }", () => {
  const CALCULATE = `query ($items: [ActivityInput!]!) { calculate(items: $items) { results {
    calculation { co2eKgExact co2eTonnes co2eTonnesExact formula notices factor { activity factorExact } }
    error { code message } } } }`;
  const toInput = ({ selector, fossil, ...item }: Body) => ({
    ...item,
    ...(fossil && { fossil }),
    ...(selector && {
      selector: {
        activity: selector.activity,
        region: selector.region,
        year: selector.year,
        ...(selector.scope && { scope: selector.scope.toUpperCase() }),
        ...(selector.allow_global && { allowGlobal: true }),
      },
    }),
  });

  it("returns the figures of REST for all examples at once", async () => {
    const items = EXAMPLES.map(([, item]) => toInput(item));
    const { body } = await gateway.graphql(CALCULATE, key, { items });
    expect(body.errors).toBeUndefined();
    expect(
      body.data.calculate.results.map(({ calculation, error }: Body) => [
        error,
        calculation.co2eKgExact,
        calculation.co2eTonnes,
        calculation.notices,
      ]),
    ).toEqual(EXAMPLES.map(([, , [kg, tonnes, , notices]]) => [null, kg, tonnes, notices]));
  });

  it("keeps every digit of amounts in literals", async () => {
    const query = `{ calculate(items: [{ amount: 123456789012345.123456789012, unit: "kg", gas: "CO2" }]) {
      results { calculation { co2eKgExact co2eTonnesExact formula } } } }`;
    expect((await gateway.graphql(query, key)).body.data.calculate.results).toEqual([
      {
        calculation: {
          co2eKgExact: "123456789012345.123456789012",
          co2eTonnesExact: "123456789012.345123",
          formula:
            "123456789012345.123456789012 kg × 1 kg CO2e per kg = 123456789012345.123456789012 kg CO2e",
        },
      },
    ]);
  });

  it("refuses 0 and over 100 activities, and an amount that is not a decimal", async () => {
    const ask = async (items: unknown) => (await gateway.graphql(CALCULATE, key, { items })).body.errors;
    for (const count of [0, 101]) {
      expect(await ask(Array(count).fill({ amount: "1", unit: "kg", gas: "CO2" }))).toEqual([
        expect.objectContaining({
          message: `items: expected 1 to 100, got ${count}`,
          extensions: { code: "BAD_USER_INPUT", argument: "items" },
        }),
      ]);
    }
    expect((await ask([{ amount: "ten", unit: "kg", gas: "CO2" }]))?.[0]?.extensions.code).toBe(
      "BAD_USER_INPUT",
    );
  });
});

describe("GET /v1/emission-factors", () => {
  it("lists every factor once over all pages", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await list(`limit=100${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor);
    expect([seen.length, new Set(seen).size]).toEqual([2931, 2931]);
  });

  it("combines filters by text, region, scope, unit and year", async () => {
    const { items } = await list("search=NATURAL GAS&region=uk&scope=scope_1&unit=MWh (gross cv)&year=2026");
    expect(items.map(({ activity, factor, unit }: Body) => [activity, factor, unit])).toEqual([
      ["Natural gas", 0.18231, "kWh (gross CV)"],
    ]);
    expect(
      (await list("search=average car&year=2026")).items.map(({ detail }: Body) => detail).toSorted(),
    ).toEqual(["Battery Electric Vehicle", "Diesel", "Hybrid", "Petrol", "Plug-in Hybrid Electric Vehicle"]);
    expect(await list("search=no such thing")).toEqual({ items: [], next_cursor: null });
    expect(await list("region=Atlantis")).toEqual({ items: [], next_cursor: null });
  });

  it("refuses unknown filters and invalid values", async () => {
    for (const query of ["activity=x", "scope=1", "year=now", "limit=0", "cursor=x", "unit=%00"]) {
      const { status } = await gateway.call(`/v1/emission-factors?${query}`, {
        headers: { "X-API-Key": key },
      });
      expect([query, status]).toEqual([query, 400]);
    }
  });
});

describe("an organization's own factor", () => {
  it("is found only by its organization", async () => {
    const own = await addFactor(gateway.database, organization, { activity: "Own boiler", factor: "1.5" });
    await addFactor(gateway.database, organization, { activity: "Doubtful boiler", verified: false });
    const { key: other } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const items = [
      { amount: 2, unit: "kg", factor_id: own.id },
      { amount: 2, unit: "kg", selector: { activity: "own boiler", region: "Home" } },
      { amount: 2, unit: "kg", selector: { activity: "doubtful boiler", region: "Home" } },
    ];
    const answers = async (by: string) =>
      (await post(items, by)).body.data.results.map(({ co2e_kg, error }: Body) => co2e_kg ?? error.code);
    expect(await answers(key)).toEqual([3, 3, "FACTOR_NOT_FOUND"]);
    expect(await answers(other)).toEqual(Array(3).fill("FACTOR_NOT_FOUND"));
    expect(JSON.stringify((await post(items, other)).body).includes('Own boiler"')).toBe(false);
    const own_ = ({ activity, is_own }: Body) => [activity, is_own];
    expect((await list("search=boiler")).items.map(own_)).toEqual([
      ["Doubtful boiler", true],
      ["Own boiler", true],
    ]);
    expect((await list("search=boiler", other)).items).toEqual([]);
  });
});

describe("gateway load-factors", () => {
  it("adds missing factors without changing others", async () => {
    await gateway.database.transaction(({ execute }) =>
      execute("UPDATE emission_factors SET detail = 'x' WHERE source_factor_id = '1_100_1004_6_1'"),
    );
    await gateway.database.transaction(({ execute }) =>
      execute("DELETE FROM emission_factors WHERE source_factor_id = '1_100_1004_7_1'"),
    );
    expect(await loadFactors(gateway.database, REFERENCE_FOLDER)).toEqual({
      added: 1,
      updated: 0,
      unchanged: 2930,
    });
    const { items } = await list("search=natural gas&scope=scope_1&year=2025&region=UK&unit=kWh (gross CV)");
    expect(items[0]).toMatchObject({ activity: "Natural gas", detail: "x" });
  });

  it("completes the factors of an earlier release, and keeps their ids", async () => {
    const read = () =>
      gateway.database.select<Body>(
        `SELECT id, activity, detail, publisher_category, source_factor_id, dimension FROM emission_factors
         WHERE organization_id IS NULL ORDER BY id`,
        [],
      );
    const complete = await read();
    const old = await list("search=ember germany");
    for (const statement of [
      "UPDATE emission_factors SET publisher_category = NULL WHERE publisher_category IS NOT NULL",
      "UPDATE emission_factors SET dimension = 'million litres' WHERE unit = 'million litres'",
      `UPDATE emission_factors SET detail = NULL, source_factor_id = NULL WHERE source_factor_id IN ('DEU', 'IND')`,
      `DELETE FROM emission_factors WHERE source_factor_id = 'POL'`,
    ]) {
      await gateway.database.transaction(({ execute }) => execute(statement));
    }
    expect(await loadFactors(gateway.database, REFERENCE_FOLDER)).toEqual({
      added: 1,
      updated: 2631,
      unchanged: 299,
    });
    expect(await list("search=ember germany")).toEqual(old);
    const untouched = (rows: Body[]) =>
      rows.filter((row) => row.detail !== "x" && row.source_factor_id !== "1_100_1004_6_1");
    expect(untouched(await read())).toEqual(untouched(complete));
  });
});
