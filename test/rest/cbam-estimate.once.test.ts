import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/answers.js";
import { signUp } from "../support/people.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

let key: string;
const gateway = useGateway();
beforeAll(async () => {
  const organization = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, organization, { scopes: ["read:market"] }));
});

const post = (json: object) =>
  gateway.call<Body>("/v1/calc/cbam", {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify(json),
  });

async function estimate(json: object): Promise<Body> {
  const { status, body } = await post(json);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
}
const refusal = async (json: object) => {
  const { status, body } = await post(json);
  return [status, body.error?.code, body.error?.details];
};

const goods = (country: string, cn_code: string, more: object = {}) => ({
  country,
  cn_code,
  mass_t: "100",
  ...more,
});
/** Input of an estimate for one line, in Q3 2026 unless `more` overrides it. */
const inQ3 = (line: object, more: object = {}) => ({ year: 2026, quarter: "Q3", lines: [line], ...more });
const estimateOne = async (line: object, more: object = {}) => (await estimate(inQ3(line, more))).lines[0];
const of = ({ embedded_emissions, free_allocation_adjustment, certificates, cost_eur }: Body) => [
  embedded_emissions.total,
  free_allocation_adjustment,
  certificates,
  cost_eur,
];

const ACTUAL = { basis: "actual", direct_tco2e_per_t: "2.10" };
const LATER = (year: number) => ({ year, quarter: null });

describe("POST /v1/calc/cbam", () => {
  it("reads a code with spaces, or of TARIC, and a country by its name", async () => {
    const plain = await estimateOne(goods("IN", "72083600"));
    for (const code of ["7208 36 00", "7208.36.00", "7208360000"])
      expect(await estimateOne(goods("india", code))).toEqual(plain);
  });

  it.each<[what: string, line: object, more: object, figures: number[]]>([
    [
      "grey clinker of Algeria, first quarter",
      goods("DZ", "25231000", { good: "grey clinker" }),
      { quarter: "Q1" },
      [140.8, 64.935, 75.865, 5717.19],
    ],
    ["hot-rolled steel of India", goods("IN", "72083600"), {}, [470.8, 133.575, 337.225, 27_760.36]],
    ["aluminium of India", goods("IN", "76011000"), {}, [205.7, 138.7425, 66.958, 5511.98]],
    ["urea of India", goods("IN", "31021019"), {}, [224.22, 87.945, 136.275, 11_218.16]],
    ["grey Portland cement, 2027", goods("IN", "25232900"), LATER(2027), [177.6, 63.27, 114.33, 9411.65]],
    ["aluminium of Algeria", goods("DZ", "76011090"), {}, [39.6, 8.8725, 30.728, 2529.53]],
    ["hydrogen of India", goods("IN", "28041000"), {}, [1543.3, 496.1775, 1047.123, 86_199.17]],
    ["grey clinker", goods("IN", "25231000", { route: "A" }), {}, [158.4, 64.935, 93.465, 7694.04]],
    ["white clinker", goods("IN", "25231000", { route: "B" }), {}, [155.1, 83.7525, 71.348, 5873.37]],
    ["aluminous cement, 2027", goods("IN", "25233000"), LATER(2027), [274.8, 68.115, 206.685, 17_014.31]],
    ["aluminous cement, 2028", goods("IN", "25233000"), LATER(2028), [297.7, 61.74, 235.96, 19_424.23]],
    ["steel, 2028", goods("IN", "7208"), LATER(2028), [556.4, 123.3, 433.1, 35_652.79]],
    ["steel, 2034", goods("IN", "7208"), LATER(2034), [556.4, 0, 556.4, 45_802.85]],
    [
      "steel of another country",
      goods("ZZ", "7208", { route: "D" }),
      {},
      [445.39, 46.8975, 398.493, 32_803.94],
    ],
    ["calcined clay", goods("ZZ", "25070080"), {}, [30.8, 64.935, 0, 0]],
    ["12.345 t", goods("IN", "7208", { mass_t: 12.345 }), {}, [58.12026, 16.48983375, 41.63, 3426.98]],
    ["actual emissions", goods("IN", "7208", ACTUAL), {}, [210, 4.29, 205.71, 16_934.05]],
    // Computed independently.
    [
      "a reduction",
      goods("IN", "7208", { reduction_tco2e: 37.2245 }),
      {},
      [470.8, 133.575, 300.001, 24_696.08],
    ],
    ["a reduction above it", goods("IN", "7208", { reduction_tco2e: 1_000 }), {}, [470.8, 133.575, 0, 0]],
  ])("computes %s", async (_what, line, more, figures) => {
    expect(of(await estimateOne(line, more))).toEqual(figures);
  });

  it("answers this exact JSON, with the sources of its figures", async () => {
    const answer = await estimate(inQ3(goods("IN", "72083600", { route: null, good: null, precursors: [] })));
    const publication = {
      source: expect.any(String),
      source_url: expect.stringContaining("eur-lex.europa.eu"),
    };
    expect(answer).toEqual({
      year: 2026,
      scenario: "law",
      certificate_price: {
        eur: 82.32,
        eur_exact: "82.32",
        period: "2026-Q3",
        source: expect.stringContaining("2025/2548"),
        source_url: expect.stringContaining("taxation-customs.ec.europa.eu"),
      },
      de_minimis: { mass_t: 100, mass_t_exact: "100", threshold_t: 50, exempt: false },
      lines: [
        {
          cn_code: "72083600",
          good: "hot-rolled flat",
          sector: "iron_steel",
          country_used: "IN",
          route: "C",
          specific_embedded: 4.708,
          default_value: 4.28,
          markup: 0.1,
          embedded_emissions: { direct: 470.8, indirect: null, total: 470.8, total_exact: "470.8" },
          benchmark: 1.37,
          cbam_factor: 0.975,
          free_allocation_adjustment: 133.575,
          free_allocation_adjustment_exact: "133.575",
          certificates: 337.225,
          certificates_exact: "337.225",
          cost_eur: 27_760.36,
          cost_eur_exact: "27760.36",
          notices: [],
          sources: Array.from({ length: 5 }, () => publication),
        },
      ],
      total: {
        embedded_emissions: 470.8,
        embedded_emissions_exact: "470.8",
        certificates: 337.225,
        certificates_exact: "337.225",
        cost_eur: 27_760.36,
        cost_eur_exact: "27760.36",
        certificates_to_buy: 338,
        cost_to_buy_eur: 27_824.16,
        cost_to_buy_eur_exact: "27824.16",
      },
      by_year: [],
      ruleset: { as_of: "2026-11-20", digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
    const ada = await signUp(gateway);
    const again = await ada.call("/v1/calc/cbam", { json: inQ3(goods("IN", "72083600")) });
    expect(again.body.data).toEqual(answer);
  });

  it("finds goods by words of their names and by prefixes of their codes", async () => {
    const ada = await signUp(gateway);
    const find = async (q: string, first = 20) =>
      (
        (await ada.call(`/v1/cbam/goods?${new URLSearchParams({ q, limit: String(first) })}`)).body
          .data as Body
      ).items;
    const codesOf = async (q: string) => (await find(q)).map(({ cn_code }: Body) => cn_code);
    expect(await codesOf("Screws, bolts")).toEqual(expect.arrayContaining(["7318", "731815"]));
    expect((await codesOf("731815"))[0]).toBe("731815");
    expect(await find("7208 36 00")).toEqual([
      {
        cn_code: "72083600",
        name: "hot-rolled flat",
        heading: "Hot-rolled flat products, 600 mm or wider",
        sector: "iron_steel",
      },
    ]);
    expect(await codesOf("aluminium foil")).toEqual(expect.arrayContaining(["7607"]));
    expect(await codesOf("electrical energy")).toEqual([]);
    expect((await find("steel", 3)).length).toBe(3);
    const all = await find("", 100);
    for (const { cn_code } of all) {
      const line = goods("DE", cn_code);
      expect((await estimateOne(line)).cn_code).toBe(cn_code);
    }
  });

  it("keeps a published total that differs from the sum of its parts", async () => {
    const { embedded_emissions } = await estimateOne(goods("IN", "25231000", { good: "white clinker" }));
    expect(embedded_emissions).toEqual({ direct: 148.5, indirect: 7.7, total: 155.1, total_exact: "155.1" });
  });

  it("sums rounded lines, and rounds the certificates to buy up", async () => {
    const { total, de_minimis } = await estimate({
      year: 2026,
      quarter: "Q3",
      lines: [goods("IN", "7208", { mass_t: "12.345" }), goods("IN", "76011000")],
    });
    expect([total.certificates, total.cost_eur, total.certificates_to_buy]).toEqual([108.588, 8938.96, 109]);
    expect(total.cost_to_buy_eur).toBe(109 * 82.32);
    expect(de_minimis).toEqual({ mass_t: 112.345, mass_t_exact: "112.345", threshold_t: 50, exempt: false });
  });

  it("exempts up to 50 t, except hydrogen, which does not count towards it", async () => {
    const small = async (...lines: object[]) => {
      const { de_minimis, total } = await estimate({ year: 2026, quarter: "Q3", lines });
      expect(total.cost_to_buy_eur).toBeCloseTo(total.certificates_to_buy * 82.32, 9);
      return [de_minimis.mass_t, de_minimis.exempt, total.certificates, total.certificates_to_buy];
    };
    const steel = (mass_t: string) => goods("IN", "7208", { mass_t });
    expect(await small(steel("12.345"))).toEqual([12.345, true, 41.63, 0]);
    expect(await small(steel("50"))).toEqual([50, true, 168.613, 0]);
    expect(await small(steel("50.000001"))).toEqual([50.000001, false, 168.613, 169]);
    expect(await small(steel("50"), goods("DE", "7208"))).toEqual([50, true, 168.613, 0]);
    expect(await small(goods("IN", "28041000"))).toEqual([0, false, 1047.123, 1048]);
    expect(await small(steel("12.345"), goods("IN", "28041000"))).toEqual([12.345, true, 1088.753, 1048]);
  });

  it("estimates several years under current law or the proposal", async () => {
    const path = async (scenario: string) => {
      const { by_year, certificate_price, lines } = await estimate(
        inQ3(goods("IN", "7208"), { scenario, years: [2026, 2027, 2028, 2030, 2031, 2034] }),
      );
      expect([certificate_price.eur, lines[0].certificates]).toEqual([82.32, 337.225]);
      return by_year.map(({ year, lines: [line], total }: Body) => [
        year,
        line.cbam_factor,
        line.free_allocation_adjustment,
        total.certificates,
        line.notices,
      ]);
    };
    const [PRICE, ENDED] = ["PRICE_NOT_YET_PUBLISHED", "BENCHMARK_PERIOD_ENDED"];
    expect(await path("law")).toEqual([
      [2026, 0.975, 133.575, 337.225, []],
      [2027, 0.95, 130.15, 383.45, [PRICE]],
      [2028, 0.9, 123.3, 433.1, [PRICE]],
      [2030, 0.515, 70.555, 485.845, [PRICE]],
      [2031, 0.39, 53.43, 502.97, [ENDED, PRICE]],
      [2034, 0, 0, 556.4, [ENDED, PRICE]],
    ]);
    expect(await path("com_2026_616")).toEqual([
      [2026, 0.975, 133.575, 337.225, ["NOT_LAW"]],
      [2027, 0.95, 130.15, 383.45, [PRICE, "NOT_LAW"]],
      [2028, 0.915, 125.355, 431.045, [PRICE, "NOT_LAW"]],
      [2030, 0.59, 80.83, 475.57, [PRICE, "NOT_LAW"]],
      [2031, 0.48, 65.76, 490.64, [ENDED, PRICE, "NOT_LAW"]],
      [2034, 0.15, 20.55, 535.85, [ENDED, PRICE, "NOT_LAW"]],
    ]);
  });

  it("reports the price it used, and why", async () => {
    const price = async (more: object) => {
      const { certificate_price, lines } = await estimate(inQ3(goods("IN", "7208"), more));
      return [certificate_price.eur, certificate_price.period, lines[0].notices];
    };
    expect(await price({ quarter: "Q2" })).toEqual([75.28, "2026-Q2", []]);
    expect(await price({ quarter: "Q4" })).toEqual([82.32, "2026-Q3", ["PRICE_NOT_YET_PUBLISHED"]]);
    expect(await price({ quarter: null })).toEqual([82.32, "2026-Q3", ["QUARTER_MISSING"]]);
    expect(await price({ year: 2027 })).toEqual([82.32, "2026-Q3", ["PRICE_NOT_YET_PUBLISHED"]]);
    expect(await price({ year: 2027, certificate_price_eur: "90.5" })).toEqual([90.5, null, []]);
  });

  it("falls back to the values for other countries if the country or good is not listed", async () => {
    const used = async (line: object) => {
      const { country_used, good, default_value, notices } = await estimateOne(line);
      return [country_used, good, default_value, notices];
    };
    const OTHERS = ["OTHER_COUNTRIES_VALUE"];
    expect(await used(goods("BR", "72083600", { route: "C" }))).toEqual([
      "ZZ",
      "hot-rolled flat",
      4.049,
      OTHERS,
    ]);
    expect(await used(goods("US", "7213", { route: "E" }))).toEqual(["ZZ", "wire rod", 3.996, OTHERS]);
    expect(await used(goods("DZ", "25231000", { route: "B" }))).toEqual([
      "ZZ",
      "white clinker",
      1.37,
      OTHERS,
    ]);
    expect(await used(goods("ZZ", "76011000"))).toEqual(["ZZ", "unwrought aluminium", 2.203, []]);
    expect(await used(goods("IN", "72071190"))).toEqual(["IN", "semi-finished, forged", 4.32, []]);
    const nothing = [0, 0, 0, 0];
    for (const country of ["FR", "IS", "LI", "NO", "CH"]) {
      const line = await estimateOne(goods(country, "72083600"));
      expect([line.country_used, of(line), line.notices]).toEqual([country, nothing, ["FREE_ORIGIN"]]);
    }
    expect((await estimateOne(goods("GB", "76011000"))).country_used).toBe("ZZ");
  });

  it("calculates with actual emissions and precursors", async () => {
    const actual = async (cn: string, more: object, others: object = {}) => {
      const line = await estimateOne(goods("IN", cn, { ...ACTUAL, ...more }), others);
      return [
        line.embedded_emissions.total,
        line.free_allocation_adjustment,
        line.certificates,
        line.notices,
      ];
    };
    const pig = { cn_code: "7201", mass_t: "95.5" };
    const slab = { cn_code: "72071210", mass_t: "105", route: "C" };
    // 100 × 0.975 × 0.044 + 105 × 0.975 × 0.188 + 95.5 × 0.975 × 1.089
    expect(await actual("72083600", { precursors: [slab, pig] })).toEqual([
      210,
      124.9360125,
      85.064,
      ["PRECURSORS_ARE_OUR_READING"],
    ]);
    expect(await actual("72083600", { indirect_tco2e_per_t: "0.3" })).toEqual([
      210,
      4.29,
      205.71,
      ["INDIRECT_NOT_COUNTED", "PRECURSORS_MISSING"],
    ]);
    expect(await actual("25231000", { route: "A", indirect_tco2e_per_t: "0.05" })).toEqual([
      215,
      64.935,
      150.065,
      [],
    ]);
    expect(await actual("26011200", {})).toEqual([210, 8.385, 201.615, ["INDIRECT_MISSING"]]);
    // The installation's route takes precedence over the table's.
    expect(await actual("76011000", { route: "L" })).toEqual([210, 8.8725, 201.128, []]);
    expect(await actual("76011000", {})).toEqual([210, 138.7425, 71.258, []]);
  });

  const [C, D, E] = ["C (carbon steel BF/BOF)", "D (carbon steel DRI/EAF)", "E (carbon steel scrap/EAF)"];
  it.each<[what: string, line: object, code: string, path: string, message: string]>([
    ["clinker without good and route", goods("IN", "25231000"), "ROUTE_REQUIRED", "route", "A (grey clinker"],
    ["clinker of a country with one kind", goods("DZ", "25231000"), "ROUTE_REQUIRED", "route", "B (white"],
    ["no route in the table", goods("ZZ", "7208"), "ROUTE_REQUIRED", "route", `${C} or ${D} or ${E}`],
    ["a table's route without benchmark", goods("IN", "72251100"), "ROUTE_REQUIRED", "route", `${C} or ${D}`],
    [
      "a table's route without benchmark, sent",
      goods("IN", "72251100", { route: "F" }),
      "VALIDATION_FAILED",
      "route",
      "(got F)",
    ],
    [
      "a route other than the table's",
      goods("DZ", "76011090", { route: "K" }),
      "VALIDATION_FAILED",
      "route",
      "L (",
    ],
    ["a route of another good", goods("IN", "72083600", { route: "K" }), "VALIDATION_FAILED", "route", "C ("],
    [
      "a route of a good without routes",
      goods("IN", "28041000", { route: "A" }),
      "VALIDATION_FAILED",
      "route",
      "must be omitted",
    ],
    [
      "a good with a different code",
      goods("IN", "7208", { good: "urea" }),
      "VALIDATION_FAILED",
      "good",
      "hot-rolled",
    ],
    [
      "a good and another good's route",
      goods("IN", "25231000", { good: "grey clinker", route: "B" }),
      "VALIDATION_FAILED",
      "route",
      "must be A",
    ],
    ...["7202", "72029900", "72041000", "31056000", "76020000", "76151010", "12345678", "2523"].map(
      (cn) => [`the code ${cn}`, goods("IN", cn), "NOT_COVERED", "cn_code", `(got ${cn})`] as never,
    ),
    ["electricity", goods("IN", "27160000"), "NOT_COVERED", "cn_code", "by the MWh"],
    ["a good in no table", goods("IN", "73030010"), "NOT_COVERED", "cn_code", "default value"],
    ["3 digits", goods("IN", "720"), "VALIDATION_FAILED", "cn_code", "4 to 8 digits (got 720)"],
    ["9 digits", goods("IN", "720836001"), "VALIDATION_FAILED", "cn_code", "4 to 8 digits"],
    ["no country", goods("XX", "7208"), "VALIDATION_FAILED", "country", "(got XX)"],
    ["an unknown country", goods("Atlantis", "7208"), "VALIDATION_FAILED", "country", "(got Atlantis)"],
    ...[0, -1, "1000000000.000001", "0.0000001"].map(
      (mass_t) =>
        [
          `a mass of ${mass_t}`,
          goods("IN", "7208", { mass_t }),
          "VALIDATION_FAILED",
          "mass_t",
          "above 0",
        ] as never,
    ),
    [
      "actual without emissions",
      goods("IN", "7208", { basis: "actual" }),
      "VALIDATION_FAILED",
      "direct_tco2e_per_t",
      "is required for actual emissions",
    ],
    [
      "emissions without actual",
      goods("IN", "7208", { direct_tco2e_per_t: 1 }),
      "VALIDATION_FAILED",
      "direct_tco2e_per_t",
      "must be omitted",
    ],
    [
      "a negative reduction",
      goods("IN", "7208", { reduction_tco2e: -1 }),
      "VALIDATION_FAILED",
      "reduction_tco2e",
      "0 to 10^12",
    ],
    [
      "a precursor without its route",
      goods("IN", "7208", { ...ACTUAL, precursors: [{ cn_code: "7207", mass_t: 1 }] }),
      "ROUTE_REQUIRED",
      "precursors[0].route",
      C,
    ],
    [
      "a precursor that is not covered",
      goods("IN", "7208", { ...ACTUAL, precursors: [{ cn_code: "7204", mass_t: 1 }] }),
      "NOT_COVERED",
      "precursors[0].cn_code",
      "(got 7204)",
    ],
  ])("refuses %s", async (_what, line, code, path, message) => {
    expect(await refusal(inQ3(line))).toEqual([
      422,
      code,
      [{ path: `lines[0].${path}`, message: expect.stringContaining(message) }],
    ]);
  });

  it("refuses years outside 2026 to 2034, negative prices, no lines and over 200", async () => {
    const line = goods("IN", "7208");
    for (const year of [2025, 2035]) {
      const message = `must be from 2026 to 2034 (got ${year}).`;
      expect(await refusal(inQ3(line, { year }))).toEqual([
        422,
        "NOT_COVERED",
        [{ path: "year", message: `year ${message}` }],
      ]);
      expect(await refusal(inQ3(line, { years: [2026, year] }))).toEqual([
        422,
        "NOT_COVERED",
        [{ path: "years[1]", message: `years[1] ${message}` }],
      ]);
    }
    expect(await refusal(inQ3(line, { certificate_price_eur: "-1" }))).toMatchObject([
      422,
      "VALIDATION_FAILED",
      [{ path: "certificate_price_eur" }],
    ]);
    for (const lines of [[], Array.from({ length: 201 }, () => line)]) {
      expect(await refusal({ year: 2026, lines })).toMatchObject([
        422,
        "VALIDATION_FAILED",
        [{ path: "lines" }],
      ]);
    }
    const all = Array.from({ length: 200 }, () => line);
    expect(
      (
        await estimate({
          year: 2026,
          lines: all,
          years: [2026, 2027, 2028, 2029, 2030, 2031, 2032, 2033, 2034],
        })
      ).total.certificates,
    ).toBe(67_445);
  });

  it("reports all problems together", async () => {
    const lines = [goods("XX", "7208", { mass_t: 0 }), goods("IN", "7204"), goods("ZZ", "7208")];
    expect(await refusal({ year: 2025, lines })).toEqual([
      422,
      "VALIDATION_FAILED",
      ["year", "lines[0].country", "lines[0].mass_t", "lines[1].cn_code", "lines[2].route"].map((path) => ({
        path,
        message: expect.stringContaining(path),
      })),
    ]);
  });
});
