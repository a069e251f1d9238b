import { describe, expect, it } from "vitest";
import { normalQuantile, studentT } from "../../../src/actions/foresight/distributions.js";
import { backtest, findBest } from "../../../src/domain/foresight/backtest.js";
import { forecastBy } from "../../../src/domain/foresight/forecast.js";
import type { ForecastMethod, MethodChoice } from "../../../src/domain/foresight/methods.js";
import { monthOf, takeSeries } from "../../../src/domain/foresight/monthly-series.js";
import { fitLine } from "../../../src/domain/foresight/trend-line.js";
import { monthNumber } from "../../../src/domain/window.js";

/** November 2025 to October 2026. */
const A = [112, 108, 115, 104, 110, 101, 103, 99, 105, 96, 98, 94];

/** Months in a row up to October 2026; null is a gap. */
function series(values: readonly (number | null)[], window = 24) {
  const last = monthNumber("2026-10");
  const amounts = values.flatMap((amount, index) =>
    amount === null ? [] : [{ month: monthOf(last - values.length + 1 + index), amount }],
  );
  const taken = takeSeries(amounts, { to: "2026-10", window });
  if (!taken) throw new Error("the series is empty");
  return taken;
}

const DISTRIBUTIONS = { studentT, normalQuantile };

/** Forecasts the next six months; the method must be able to. */
function forecast(method: ForecastMethod, values: readonly (number | null)[], levels = [95]) {
  const found = forecastBy(method, series(values, 60), { months: 6, levels }, DISTRIBUTIONS);
  if (!found) throw new Error(`${method} has no forecast`);
  return found;
}

/** Returns the mean absolute errors of a backtest, by method. */
function errorsOf(values: readonly (number | null)[], choice: MethodChoice) {
  const tested = backtest(series(values, 60).points, choice, DISTRIBUTIONS);
  const methods = tested?.methods.map(({ method, mae }) => [method, rounded(mae)]) ?? [];
  return [tested?.folds, Object.fromEntries(methods)];
}

const rounded = (value: number, decimals = 3) => Number(value.toFixed(decimals));

describe("fitLine", () => {
  it("fits slope, intercept, r², residuals and p-value", () => {
    const { slope, intercept, r2, residualSd, pValue, direction } = fitLine(series(A).points, studentT);
    expect([slope, intercept, r2 ?? 0, residualSd, pValue ?? 0].map((value) => rounded(value, 6))).toEqual([
      -1.562937, 112.346154, 0.739685, 3.506188, 0.000333,
    ]);
    expect(direction).toBe("decreasing");
  });

  it("leaves out a gap, which keeps its position", () => {
    const gapped = series(A.map((value, index) => (index === 4 ? null : value)));
    expect([gapped.gaps, gapped.length, gapped.from]).toEqual([["2026-03"], 12, "2025-11"]);
    const line = fitLine(gapped.points, studentT);
    expect([
      line.n,
      ...[line.slope, line.intercept, line.residualSd].map((value) => rounded(value, 6)),
    ]).toEqual([11, -1.517464, 111.734799, 3.431919]);
    const { month, value, prediction } = forecast("ols", [...A.slice(0, 4), null, ...A.slice(5)]).month(1);
    expect([
      month,
      rounded(value),
      rounded(prediction[0]?.lower ?? 0),
      rounded(prediction[0]?.upper ?? 0),
    ]).toEqual(["2026-11", 93.525, 84.408, 102.642]);
  });

  it("is certain of a perfect line, and flat without change", () => {
    const perfect = [10, 12, 14, 16, 18, 20];
    expect(fitLine(series(perfect).points, studentT)).toMatchObject({
      slope: 2,
      r2: 1,
      residualSd: 0,
      pValue: 0,
      direction: "increasing",
    });
    expect(forecast("ols", perfect).month(1)).toMatchObject({
      value: 22,
      prediction: [{ level: 95, lower: 22, upper: 22 }],
    });
    const flat = fitLine(series([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]).points, studentT);
    expect(flat).toMatchObject({ slope: 0, intercept: 0.1, r2: null, pValue: null, direction: "flat" });
  });
});

describe("a forecast by a line", () => {
  it.each([
    [1, 93.591, [87.942, 99.24], [84.418, 102.764], [88.783, 98.399]],
    [2, 92.028, [86.182, 97.874], [82.535, 101.521], [86.634, 97.422]],
    [3, 90.465, [84.401, 96.529], [80.619, 100.312], [84.472, 96.459]],
    [6, 85.776, [78.958, 92.594], [74.705, 96.847], [77.932, 93.62]],
  ])("predicts month %i on the line, with an interval", (h, expected, at80, at95, band) => {
    const { value, prediction, confidence, isClamped } = forecast("ols", A, [80, 95]).month(h);
    const bounds = [...prediction, confidence[1]].map((interval) => [
      rounded(interval?.lower ?? 0),
      rounded(interval?.upper ?? 0),
    ]);
    expect([rounded(value), bounds, isClamped]).toEqual([expected, [at80, at95, band], false]);
  });

  it.each([
    [1, 93.591, 84.418, 102.764],
    [3, 276.084, 254.99, 297.177],
    [6, 538.101, 495.748, 580.455],
  ])("predicts the sum of %i months, whose interval is not the sum of theirs", (h, value, lower, upper) => {
    const sum = forecast("ols", A).cumulative(h);
    expect(
      [sum.value, sum.prediction[0]?.lower ?? 0, sum.prediction[0]?.upper ?? 0].map((one) => rounded(one)),
    ).toEqual([value, lower, upper]);
  });

  it("raises negative values to 0, and keeps the originals", () => {
    const { value, raw, isClamped, prediction } = forecast("ols", [60, 50, 38, 31, 18, 9]).month(1);
    expect([
      value,
      rounded(raw),
      isClamped,
      prediction[0]?.lower,
      rounded(prediction[0]?.upper ?? 0),
    ]).toEqual([0, -1.467, true, 0, 3.339]);
  });

  it("contains the sum of six months in 95 of 100 simulated series", () => {
    const random = createRandom(20_261_120);
    const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const runs = 4_000;
    let held = 0;
    for (let run = 0; run < runs; run += 1) {
      const values = Array.from({ length: 18 }, (_, index) => 1_000 - 2 * index + 10 * normal());
      const { prediction } = forecast("ols", values.slice(0, 12)).cumulative(6);
      const total = values.slice(12).reduce((sum, value) => sum + value, 0);
      if (prediction.every(({ lower, upper }) => lower <= total && total <= upper)) held += 1;
    }
    expect(held / runs).toBeGreaterThan(0.94);
    expect(held / runs).toBeLessThan(0.96);
  });
});

/** Two years with a season, a rise and some noise, and then a third one. */
const TWO_YEARS = [
  52, 47, 60, 41, 33, 28, 25, 24, 31, 44, 50, 57, 55, 49, 61, 44, 37, 29, 28, 25, 35, 45, 55, 58,
];
const THREE_YEARS = [...TWO_YEARS, 57, 53, 62, 48, 39, 33, 30, 29, 37, 48, 57, 62];

const bounds = (prediction: readonly { readonly lower: number; readonly upper: number }[]) =>
  prediction.flatMap(({ lower, upper }) => [rounded(lower), rounded(upper)]);

describe("a naive forecast", () => {
  /** The changes are 2, -1, 3, -1 and 2: their mean square is 19 / 5. */
  const VALUES = [10, 12, 11, 14, 13, 15];
  const sd = Math.sqrt(19 / 5);

  it("repeats the last month, with an interval that grows by √h", () => {
    const { value, prediction, confidence } = forecast("naive", VALUES, [80, 95]).month(3);
    const [at80, at95] = [1.281552 * sd * Math.sqrt(3), 1.959964 * sd * Math.sqrt(3)];
    expect([value, confidence]).toEqual([15, []]);
    expect(bounds(prediction)).toEqual(
      [15 - at80, 15 + at80, 15 - at95, 15 + at95].map((one) => rounded(one)),
    );
  });

  it("sums months that share the steps of a random walk: 1² + 2² + 3² of them", () => {
    const { value, prediction } = forecast("naive", VALUES).cumulative(3);
    const half = 1.959964 * sd * Math.sqrt(14);
    expect([value, ...bounds(prediction)]).toEqual([45, rounded(45 - half), rounded(45 + half)]);
  });

  it("counts a change over a gap as several steps, and widens the interval after a gap", () => {
    // The changes are 2, -1, and 3 in two steps, then -1 and 2; October 2026 is missing.
    const { value, prediction } = forecast("naive", [10, 12, 11, null, 14, 13, 15, null]).month(1);
    const half = 1.959964 * Math.sqrt((4 + 1 + 9 / 2 + 1 + 4) / 5) * Math.sqrt(2);
    expect([value, ...bounds(prediction)]).toEqual([15, rounded(15 - half), rounded(15 + half)]);
  });
});

describe("a forecast by a line with a level for each calendar month", () => {
  /** Solves a linear system by Gaussian elimination. */
  function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
    const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
    for (const [column, pivot] of rows.entries()) {
      const at = rows.findIndex((row, index) => index >= column && Math.abs(row[column] ?? 0) > 1e-9);
      [rows[column], rows[at]] = [rows[at] ?? pivot, rows[column] ?? pivot];
      const top = rows[column] ?? pivot;
      for (const [index, row] of rows.entries()) {
        if (index === column) continue;
        const factor = (row[column] ?? 0) / (top[column] ?? 1);
        for (const place of row.keys()) row[place] = (row[place] ?? 0) - factor * (top[place] ?? 0);
      }
    }
    return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 1));
  }
  const dot = (one: readonly number[], other: readonly number[]) =>
    one.reduce((total, value, index) => total + value * (other[index] ?? 0), 0);
  /** Returns a row of the design matrix: the constant, the month, and 11 dummies. */
  const design = (x: number) => [
    1,
    x,
    ...Array.from({ length: 11 }, (_, index) => (x % 12 === index + 1 ? 1 : 0)),
  ];

  /** Computes the sum of some months and its interval by the normal equations; `t` is a quantile with n - 13 degrees of freedom. */
  function byMatrix(values: readonly (number | null)[], xs: readonly number[], t: number) {
    const points = values.flatMap((y, x) => (y === null ? [] : [{ row: design(x), y }]));
    const normal = design(0).map((_one, i) =>
      design(0).map((_other, j) =>
        points.reduce((total, { row }) => total + (row[i] ?? 0) * (row[j] ?? 0), 0),
      ),
    );
    const beta = solve(
      normal,
      design(0).map((_, i) => points.reduce((total, { row, y }) => total + (row[i] ?? 0) * y, 0)),
    );
    const sse = points.reduce((total, { row, y }) => total + (y - dot(row, beta)) ** 2, 0);
    const at = design(0).map((_, i) => xs.reduce((total, x) => total + (design(x)[i] ?? 0), 0));
    const ofLine = dot(at, solve(normal, at));
    const half = (variance: number) => t * Math.sqrt((sse / (points.length - 13)) * variance);
    const value = dot(at, beta);
    const [band, interval] = [half(ofLine), half(xs.length + ofLine)];
    return [value, value - interval, value + interval, value - band, value + band].map((one) => rounded(one));
  }

  const GAPPED = [...TWO_YEARS.slice(0, 9), null, ...TWO_YEARS.slice(10), 57];

  it.each([
    ["two years, with 11 degrees of freedom", TWO_YEARS, 2.200985],
    ["three years, with 23", THREE_YEARS, 2.068658],
    ["two years and a month with a gap", GAPPED, 2.200985],
  ])("has the value and the intervals of the matrix form for %s", (_what, values, t) => {
    for (const h of [1, 4, 6]) {
      const { value, prediction, confidence } = forecast("ols_seasonal", values).month(h);
      expect([rounded(value), ...bounds(prediction), ...bounds(confidence)]).toEqual(
        byMatrix(values, [values.length - 1 + h], t),
      );
    }
    const ahead = Array.from({ length: 6 }, (_, index) => values.length + index);
    const { value, prediction } = forecast("ols_seasonal", values).cumulative(6);
    expect([rounded(value), ...bounds(prediction)]).toEqual(byMatrix(values, ahead, t).slice(0, 3));
  });

  it("needs two years, and data for every calendar month", () => {
    const able = (values: readonly (number | null)[]) =>
      forecastBy("ols_seasonal", series(values, 60), { months: 6, levels: [95] }, DISTRIBUTIONS) !== null;
    expect(able(TWO_YEARS.slice(1))).toBe(false);
    expect(able(THREE_YEARS.map((value, index) => (index % 12 === 3 ? null : value)))).toBe(false);
    expect(able(THREE_YEARS.map((value, index) => (index % 12 === 8 ? null : value)))).toBe(true);
  });
});

describe("backtest", () => {
  it("compares the line with the previous month, from the seventh month on", () => {
    const tested = backtest(series(A).points, "ols", DISTRIBUTIONS);
    expect(errorsOf(A, "ols")).toEqual([6, { naive: 4.5, ols: 2.619 }]);
    expect(tested?.methods.map(({ wapePercent }) => rounded(wapePercent ?? 0, 2))).toEqual([4.54, 2.64]);
  });

  it("tests all methods on the same last 12 months, each with two years before it", () => {
    const [folds, errors] = errorsOf(THREE_YEARS, "best");
    const lastYear = THREE_YEARS.slice(24).map((value, index) =>
      Math.abs(value - (THREE_YEARS[12 + index] ?? 0)),
    );
    const month = THREE_YEARS.slice(24).map((value, index) =>
      Math.abs(value - (THREE_YEARS[23 + index] ?? 0)),
    );
    const mean = (values: readonly number[]) =>
      rounded(values.reduce((total, value) => total + value, 0) / 12);
    expect([folds, Object.keys(errors as object)]).toEqual([
      12,
      ["naive", "seasonal_naive", "ols", "ols_seasonal"],
    ]);
    expect(errors).toMatchObject({ naive: mean(month), seasonal_naive: mean(lastYear) });
  });

  it("leaves out a method that cannot forecast each of these months", () => {
    expect(Object.keys(errorsOf(TWO_YEARS, "best")[1] as object)).toEqual(["naive", "seasonal_naive", "ols"]);
    expect(Object.keys(errorsOf(TWO_YEARS.slice(1), "best")[1] as object)).toEqual(["naive", "ols"]);
  });

  it("tests a requested seasonal method on the months that it can forecast", () => {
    expect(errorsOf(TWO_YEARS.slice(5), "seasonal_naive")[0]).toBe(7);
    expect(errorsOf([...TWO_YEARS, 57, 53], "ols_seasonal")[0]).toBe(2);
    expect(backtest(series(TWO_YEARS).points, "ols_seasonal", DISTRIBUTIONS)).toBeNull();
  });

  it("has nothing to compare in six months", () => {
    expect(backtest(series([1, 2, 3, 4, 5, 6]).points, "ols", DISTRIBUTIONS)).toBeNull();
  });
});

describe("findBest", () => {
  const best = (values: readonly number[], isAble = (_method: ForecastMethod) => true) =>
    findBest(backtest(series(values, 60).points, "best", DISTRIBUTIONS), isAble);
  /** Three years in which each calendar month has its own amount. */
  const season = Array.from({ length: 36 }, (_, index) => 50 + 20 * Math.cos((index * Math.PI) / 6));

  it.each<[ForecastMethod, readonly number[]]>([
    ["naive", [50, 50, 50, 50, 50, 50, 20, 20, 20, 20, 20, 20, 80, 80, 80, 80, 80, 80, 80, 80]],
    ["seasonal_naive", season],
    ["ols", Array.from({ length: 20 }, (_, index) => 10 + 2 * index)],
    ["ols_seasonal", season.map((value, index) => value + index)],
  ])("is %s where that was closest", (method, values) => {
    expect(best(values)).toBe(method);
  });

  it("prefers the simplest of equally good methods, and only methods that can forecast", () => {
    expect(best(Array.from({ length: 36 }, () => 5))).toBe("naive");
    expect(best([1, 2, 3, 4, 5, 6])).toBe("naive");
    expect(
      best(
        season.map((value, index) => value + index),
        (method) => !method.includes("seasonal"),
      ),
    ).toBe("naive");
  });
});

/** The same numbers from 0 to 1 in every run: a linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return (state + 0.5) / 2 ** 32;
  };
}
