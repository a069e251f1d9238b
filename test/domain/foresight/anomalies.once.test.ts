import { describe, expect, it } from "vitest";
import {
  ANOMALY_CHECKS,
  describeAnomaly,
  type Examination,
  findAnomalies as find,
} from "../../../src/domain/foresight/find-anomalies.js";
import { type MonthAmount, monthOf } from "../../../src/domain/foresight/monthly-series.js";
import { numberMonths, scoreSeries } from "../../../src/domain/foresight/scored-series.js";
import { monthNumber } from "../../../src/domain/window.js";

const ALL: Examination = {
  types: ANOMALY_CHECKS,
  from: "2024-11",
  to: "2026-10",
  zThreshold: 3.5,
  yoyThreshold: 0.25,
};

/** Descriptions of the unusual months of a series. */
function findAnomalies(amounts: readonly MonthAmount[], examination: Examination, activeTo?: string) {
  const series = scoreSeries(numberMonths(amounts), examination, activeTo);
  return find(series, examination)?.map((found) => describeAnomaly(series, found)) ?? null;
}

/** Months in a row up to October 2026; null is a gap. */
const upToOctober = (values: readonly (number | null)[]) =>
  values.flatMap((amount, index) =>
    amount === null ? [] : [{ month: monthOf(monthNumber("2026-10") - values.length + 1 + index), amount }],
  );

const rounded = (value: number | null | undefined, decimals: number) =>
  value && Number(value.toFixed(decimals));

describe("findAnomalies", () => {
  it("finds the unusual month by median and MAD", () => {
    const found = findAnomalies(upToOctober([41, 39, 40, 42, 38, 40, 41, 39, 95, 40, 42, 38]), ALL);
    expect(found).toMatchObject([
      { type: "z_score", severity: "high", month: "2026-07", value: 95, expected: 40 },
    ]);
    expect([rounded(found?.[0]?.robustZ, 4), rounded(found?.[0]?.zScore, 3)]).toEqual([37.0975, 3.164]);
  });

  it("scores by the mean deviation if the MAD is 0, and treats 0 as noise", () => {
    const found = findAnomalies(upToOctober([10, 10, 10, 10, 10, 10, 10, 25]), ALL);
    expect(found?.map(({ month, robustZ }) => [month, rounded(robustZ, 3)])).toEqual([["2026-10", 6.383]]);
    expect(findAnomalies(upToOctober([10, 10, 10, 10, 10, 10]), ALL)).toEqual([]);
    const noisy = [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.3];
    expect(findAnomalies(upToOctober(noisy), ALL)).toEqual([]);
  });

  it("finds year-on-year changes that scores miss", () => {
    const before = [120, 110, 105, 95, 90, 85, 88, 86, 92, 100, 112, 121];
    const after = [114, 104.5, 99.8, 90.3, 85.5, 80.8, 140, 81.7, 87.4, 95, 106.4, 115];
    const found = findAnomalies(upToOctober([...before, ...after]), ALL);
    expect(found).toMatchObject([
      { type: "yoy", severity: "medium", month: "2026-05", value: 140, expected: 88 },
    ]);
    const [{ changePercent, robustZ, zScore } = { changePercent: 0, robustZ: 0, zScore: 0 }] = found ?? [];
    expect([rounded(changePercent, 2), rounded(robustZ, 3), rounded(zScore, 3)]).toEqual([
      59.09, 2.685, 2.664,
    ]);
  });

  it("distinguishes a new source from a change, and compares nothing with a gap", () => {
    const nothing = Array.from({ length: 12 }, () => 0);
    const types = ["yoy"] as const;
    const found = findAnomalies(upToOctober([...nothing, ...nothing.slice(1), 5]), { ...ALL, types });
    expect(found).toMatchObject([
      { type: "new_source", severity: "high", month: "2026-10", changePercent: null },
    ]);
    const gapped = [
      1,
      null,
      ...Array.from({ length: 10 }, () => 1),
      1,
      9,
      ...Array.from({ length: 10 }, () => 1),
    ];
    expect(findAnomalies(upToOctober(gapped), { ...ALL, types })).toEqual([]);
  });

  it.each([
    ["monthly", [1, 1, 1, null, null, 1, 1], [["2026-07", 2, "medium", false]]],
    ["monthly and has stopped", [1, 1, 1, 1, null, null, null], [["2026-08", 3, "high", true]]],
    [
      "quarterly",
      [1, null, null, 1, null, null, 1, null, null, null, null, null, 1],
      [["2026-07", 1, "low", false]],
    ],
  ])("finds what is missing from a series that is %s", (_cadence, values, expected) => {
    const found = findAnomalies(upToOctober(values), { ...ALL, types: ["gap"] });
    expect(
      found?.map(({ month, periods, severity, trailing }) => [month, periods, severity, trailing]),
    ).toEqual(expected);
  });

  it("covers yearly series, and facilities after they were archived", () => {
    const yearly = ["2023-12", "2024-12", "2025-12"].map((month) => ({ month, amount: 7 }));
    expect(findAnomalies(yearly, { ...ALL, types: ["gap"] })).toEqual([]);
    const closed = upToOctober([1, 1, 1, 1, null, null, null]);
    expect(findAnomalies(closed, { ...ALL, types: ["gap"] }, "2026-07")).toEqual([]);
  });

  it("skips series that are too short", () => {
    expect(findAnomalies(upToOctober([1]), ALL)).toBeNull();
    expect(findAnomalies(upToOctober([1, 2, 3, 4, 5]), { ...ALL, types: ["z_score"] })).toBeNull();
  });
});
