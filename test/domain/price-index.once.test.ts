import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { computeIndex, type IndexPrice, type IndexWeight } from "../../src/domain/market/price-index.js";
import { addDays } from "../../src/domain/window.js";

const RULES = { baseDate: "2026-01-02", baseValue: "100", staleAfterDays: 35 };

const weights = (given: Readonly<Record<string, string>>, validFrom = "2026-01-02"): IndexWeight[] =>
  Object.entries(given).map(([creditType, weight]) => ({ creditType, exchange: "X", weight, validFrom }));

/** Prices of a credit type by their days. */
const prices = (
  creditType: string,
  days: Readonly<Record<string, string>>,
  { currency = "EUR", statutoryUntil = null as string | null } = {},
): IndexPrice[] =>
  Object.entries(days).map(([asOf, price]) => ({
    creditType,
    exchange: "X",
    asOf,
    price,
    currency,
    statutoryUntil,
  }));

const compute = (
  given: { weights: IndexWeight[]; prices: IndexPrice[] },
  from: string,
  to = from,
  rules = RULES,
) => [...computeIndex(rules, given.weights, given.prices, { from, to })].filter((value) => value !== null);

const valuesOf = (...args: Parameters<typeof compute>) => compute(...args).map(({ value }) => value);
const excludedOf = (...args: Parameters<typeof compute>) =>
  compute(...args).map(({ instruments }) => instruments.map(({ excluded }) => excluded));

const THREE = {
  weights: weights({ EUA: "0.6", UKA: "0.25", CCA: "0.15" }),
  prices: [
    ...prices("EUA", { "2026-01-02": "80", "2026-01-03": "88", "2026-02-07": "84" }),
    ...prices("UKA", { "2026-01-02": "50", "2026-01-03": "47.5", "2026-02-07": "47.5" }),
    ...prices("CCA", { "2026-01-02": "30", "2026-01-03": "29.27" }, { currency: "USD" }),
  ],
};

describe("computeIndex", () => {
  it("is the base value on the base date, then 100 × (0.6 × 1.1 + 0.25 × 0.95 + 0.15 × 29.27 / 30) = 104.385", () => {
    expect(valuesOf(THREE, "2026-01-02", "2026-01-03")).toEqual(["100", "104.39"]);
  });

  it("leaves a stale price out of both sums: 104.385 × (0.6 × 84 / 88 + 0.25) / 0.85 = 101.04", () => {
    // 35 days after 3 January, CCA is fresh for the last time; on the next day it is stale.
    const late = {
      ...THREE,
      prices: [
        ...prices("EUA", { "2026-01-02": "80", "2026-01-03": "88", "2026-02-06": "88", "2026-02-08": "84" }),
        ...prices("UKA", { "2026-01-02": "50", "2026-01-03": "47.5", "2026-02-06": "47.5" }),
        ...THREE.prices.filter(({ creditType }) => creditType === "CCA"),
      ],
    };
    expect(valuesOf(late, "2026-02-07", "2026-02-08")).toEqual(["104.39", "101.04"]);
    expect(excludedOf(late, "2026-02-07", "2026-02-08")).toEqual([
      [null, null, null],
      ["stale", null, null],
    ]);
  });

  it("has no value while all prices are stale, does not move on the first fresh day, and continues from the last value", () => {
    const gap = {
      weights: weights({ EUA: "1" }),
      prices: prices("EUA", {
        "2026-01-02": "50",
        "2026-01-03": "60",
        "2026-02-09": "90",
        "2026-02-10": "99",
      }),
    };
    expect(valuesOf(gap, "2026-02-07", "2026-02-10")).toEqual(["120", null, "120", "132"]);
    expect(excludedOf(gap, "2026-02-07", "2026-02-10")).toEqual([[null], ["stale"], ["new"], [null]]);
  });

  it("reports the price of each instrument on a day", () => {
    const [euaOf3, ccaOf3] = [THREE.prices[1], THREE.prices[7]];
    expect(
      compute({ ...THREE, weights: weights({ EUA: "0.6", CCA: "0.15", NZU: "1" }) }, "2026-01-05"),
    ).toEqual([
      {
        date: "2026-01-05",
        value: "107.51",
        instruments: [
          { creditType: "CCA", exchange: "X", weight: "0.15", price: ccaOf3, excluded: null },
          { creditType: "EUA", exchange: "X", weight: "0.6", price: euaOf3, excluded: null },
          { creditType: "NZU", exchange: "X", weight: "1", price: null, excluded: "no_price" },
        ],
      },
    ]);
  });

  it("treats a statutory rate as fresh while it is in force, whatever its age", () => {
    const statutory = {
      weights: weights({ TAX: "1" }),
      prices: prices("TAX", { "2024-01-01": "25", "2026-03-01": "45" }, { statutoryUntil: "2026-04-30" }),
    };
    expect(valuesOf(statutory, "2026-02-28", "2026-03-01")).toEqual(["100", "180"]);
    expect(valuesOf(statutory, "2026-04-30", "2026-05-01")).toEqual(["180", null]);
  });

  it("uses the weights valid on the day, and a weight of 0 removes an instrument", () => {
    const changing = {
      weights: [
        ...weights({ EUA: "1" }),
        ...weights({ EUA: "3", UKA: "1" }, "2026-01-04"),
        ...weights({ EUA: "0.000" }, "2026-01-05"),
      ],
      prices: [
        ...prices("EUA", {
          "2026-01-02": "100",
          "2026-01-03": "110",
          "2026-01-04": "121",
          "2026-01-05": "242",
        }),
        ...prices("UKA", { "2026-01-02": "10", "2026-01-03": "20", "2026-01-04": "30", "2026-01-05": "60" }),
      ],
    };
    // 1.1; then × (3 × 1.1 + 1.5) / 4 = 1.2; then × 2.
    expect(valuesOf(changing, "2026-01-02", "2026-01-05")).toEqual(["100", "110", "132", "264"]);
  });

  it("compares no prices in different currencies, and none with a price of zero", () => {
    const odd = {
      weights: weights({ EUA: "1", UKA: "1" }),
      prices: [
        ...prices("EUA", { "2026-01-02": "80" }),
        ...prices("EUA", { "2026-01-03": "90", "2026-01-04": "99" }, { currency: "USD" }),
        ...prices("UKA", { "2026-01-02": "0", "2026-01-03": "5", "2026-01-04": "6" }),
      ],
    };
    expect(valuesOf(odd, "2026-01-03", "2026-01-04")).toEqual(["100", "115"]);
    expect(excludedOf(odd, "2026-01-03", "2026-01-04")).toEqual([
      ["not_comparable", "not_comparable"],
      [null, null],
    ]);
  });

  it("is exact for prices with non-terminating ratios: a half is rounded up", () => {
    const ratios = {
      weights: weights({ EUA: "1" }),
      prices: prices("EUA", { "2026-01-02": "200", "2026-01-03": "199.99", "2026-01-04": "208.77" }),
    };
    expect(valuesOf(ratios, "2026-01-04")).toEqual(["104.39"]);
  });

  it("matches an independent calculation in exact fractions of four credit types over 400 days, with new weights on the 200th", () => {
    let seed = 20261120n;
    const random = (below: number) => {
      seed = (seed * 1103515245n + 12345n) % 2147483648n;
      return Number(seed >> 8n) % below;
    };
    const dayOf = (number: number) => addDays(new Date("2026-01-02"), number);
    const given = ["A", "B", "C", "D"].map((creditType) => {
      const days: Record<string, string> = {};
      for (let day = 0; day < 500; ) {
        day += random(10) > 0 ? 1 + random(12) : 30 + random(20);
        days[dayOf(day - 20)] = ((2_000 + random(9_000)) / 100).toFixed(2);
      }
      return prices(creditType, days);
    });
    const weighted = ["A", "B", "C", "D"].flatMap((creditType) =>
      [0, 200].flatMap((day) => weights({ [creditType]: ((10 + random(50)) / 100).toFixed(2) }, dayOf(day))),
    );
    const values = valuesOf({ weights: weighted, prices: given.flat() }, "2026-01-02", dayOf(399));
    expect([0, 57, 114, 171, 199, 200, 228, 285, 342, 399].map((day) => values[day])).toEqual([
      "100",
      "338.43",
      "466.97",
      "1008.46",
      "2552.35",
      "2204.22",
      "2141.96",
      "4559.1",
      "5734.61",
      "19297.36",
    ]);
    expect(hash("sha256", JSON.stringify(values))).toBe(
      "7e2e867a1eef040298b1595a90294e76cca78436144651406bbf48d4a6edec13",
    );
  });

  it("has no values before the base date", () => {
    expect(compute(THREE, "2026-01-01", "2026-01-01")).toEqual([
      { date: "2026-01-01", value: null, instruments: [] },
    ]);
  });
});
