import { describe, expect, it } from "vitest";
import { studentT } from "../../../src/actions/foresight/distributions.js";
import { backtest, forecastByLine } from "../../../src/domain/foresight/forecast.js";
import { fitLine } from "../../../src/domain/foresight/line.js";
import { monthOf, takeSeries } from "../../../src/domain/foresight/series.js";
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

const rounded = (value: number, decimals = 3) => Number(value.toFixed(decimals));

describe("fitLine", () => {
  it("fits slope, intercept, r², residuals and p-value", () => {
    const { slope, intercept, r2, residualSd, pValue, direction } = fitLine(series(A).points, studentT);
    expect([slope, intercept, r2 ?? 0, residualSd, pValue ?? 0].map((value) => rounded(value, 6))).toEqual([
      -1.562937, 112.346154, 0.739685, 3.506188, 0.000333,
    ]);
    expect(direction).toBe("decreasing");
  });

  it("leaves out a gap, which keeps its place", () => {
    const gapped = series(A.map((value, index) => (index === 4 ? null : value)));
    expect([gapped.gaps, gapped.length, gapped.from]).toEqual([["2026-03"], 12, "2025-11"]);
    const forecast = forecastByLine(gapped, [95], studentT);
    const { line } = forecast;
    expect([
      line.n,
      ...[line.slope, line.intercept, line.residualSd].map((value) => rounded(value, 6)),
    ]).toEqual([11, -1.517464, 111.734799, 3.431919]);
    const { month, value, prediction } = forecast.month(1);
    expect([
      month,
      rounded(value),
      rounded(prediction[0]?.lower ?? 0),
      rounded(prediction[0]?.upper ?? 0),
    ]).toEqual(["2026-11", 93.525, 84.408, 102.642]);
  });

  it("is certain of a perfect line, and flat where nothing changes", () => {
    const perfect = forecastByLine(series([10, 12, 14, 16, 18, 20]), [95], studentT);
    expect(perfect.line).toMatchObject({
      slope: 2,
      r2: 1,
      residualSd: 0,
      pValue: 0,
      direction: "increasing",
    });
    expect(perfect.month(1)).toMatchObject({ value: 22, prediction: [{ level: 95, lower: 22, upper: 22 }] });
    const flat = fitLine(series([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]).points, studentT);
    expect(flat).toMatchObject({ slope: 0, intercept: 0.1, r2: null, pValue: null, direction: "flat" });
  });
});

describe("forecastByLine", () => {
  it.each([
    [1, 93.591, [87.942, 99.24], [84.418, 102.764], [88.783, 98.399]],
    [2, 92.028, [86.182, 97.874], [82.535, 101.521], [86.634, 97.422]],
    [3, 90.465, [84.401, 96.529], [80.619, 100.312], [84.472, 96.459]],
    [6, 85.776, [78.958, 92.594], [74.705, 96.847], [77.932, 93.62]],
  ])("tells month %i, where it will be, and where the line is", (h, expected, at80, at95, band) => {
    const { value, prediction, confidence, isClamped } = forecastByLine(series(A), [80, 95], studentT).month(
      h,
    );
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
  ])("tells the sum of %i months, whose interval is not the sum of theirs", (h, value, lower, upper) => {
    const sum = forecastByLine(series(A), [95], studentT).cumulative(h);
    expect(
      [sum.value, sum.prediction[0]?.lower ?? 0, sum.prediction[0]?.upper ?? 0].map((one) => rounded(one)),
    ).toEqual([value, lower, upper]);
  });

  it("raises to 0 what would be negative, and keeps it beside", () => {
    const { value, raw, isClamped, prediction } = forecastByLine(
      series([60, 50, 38, 31, 18, 9]),
      [95],
      studentT,
    ).month(1);
    expect([
      value,
      rounded(raw),
      isClamped,
      prediction[0]?.lower,
      rounded(prediction[0]?.upper ?? 0),
    ]).toEqual([0, -1.467, true, 0, 3.339]);
  });

  it("holds the sum of six months in 95 of 100 simulated series", () => {
    const random = createRandom(20_261_120);
    const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const runs = 4_000;
    let held = 0;
    for (let run = 0; run < runs; run += 1) {
      const values = Array.from({ length: 18 }, (_, index) => 1_000 - 2 * index + 10 * normal());
      const { prediction } = forecastByLine(series(values.slice(0, 12)), [95], studentT).cumulative(6);
      const total = values.slice(12).reduce((sum, value) => sum + value, 0);
      if (prediction.every(({ lower, upper }) => lower <= total && total <= upper)) held += 1;
    }
    expect(held / runs).toBeGreaterThan(0.94);
    expect(held / runs).toBeLessThan(0.96);
  });
});

describe("backtest", () => {
  it("compares the line with the month before", () => {
    const { folds, mae, naiveMae, wapePercent } = backtest(series(A).points, studentT) ?? {};
    expect([folds, rounded(mae ?? 0), rounded(naiveMae ?? 0), rounded(wapePercent ?? 0, 2)]).toEqual([
      6, 2.619, 4.5, 2.64,
    ]);
  });

  it("has nothing to compare in six months", () => {
    expect(backtest(series([1, 2, 3, 4, 5, 6]).points, studentT)).toBeNull();
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
