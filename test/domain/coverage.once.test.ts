import { describe, expect, it } from "vitest";
import { cadenceOf, countPeriods, coveragePercent } from "../../src/domain/emissions/coverage.js";
import { twelveMonthsBefore } from "../../src/domain/window.js";

const RANGE = { from: "2025-11-01", to: "2026-10-31" };
const MONTHS = [
  "2025-11",
  "2025-12",
  "2026-01",
  "2026-02",
  "2026-03",
  "2026-04",
  "2026-05",
  "2026-06",
  "2026-07",
  "2026-08",
  "2026-09",
  "2026-10",
];
const without = (...gaps: readonly string[]) => MONTHS.filter((month) => !gaps.includes(month));
const cover = (...patterns: readonly (readonly string[])[]) =>
  coveragePercent(patterns.map((months) => countPeriods({ series: 1, months: months.join(" ") }, RANGE)));

describe("coverage", () => {
  it.each([
    ["2026-11-01", RANGE],
    ["2026-11-30", RANGE],
    ["2026-01-31", { from: "2025-01-01", to: "2025-12-31" }],
    ["2024-03-05", { from: "2023-03-01", to: "2024-02-29" }],
  ])("covers the 12 months before the current one, on %s", (day, range) => {
    expect(twelveMonthsBefore(new Date(day))).toEqual(range);
  });

  it.each([
    ["two months, which are too few", [0, 12], 1],
    ["every month", [0, 1, 2, 3], 1],
    ["every month but a few", [0, 1, 2, 6, 7, 8], 1],
    // The median of 1 and 2 is 1.5.
    ["two consecutive months and a later one", [0, 1, 3], 3],
    ["every quarter", [0, 3, 6, 9], 3],
    ["every four months", [0, 4, 8, 12], 12],
    ["every year", [0, 12, 24], 12],
    ["every two years", [0, 24, 48], 12],
  ])("derives the cadence from records in %s", (_, months, cadence) => {
    expect(cadenceOf(months)).toBe(cadence);
  });

  it("of three monthly series with two gaps is 34 of 36", () => {
    expect(cover(MONTHS, without("2026-02"), without("2026-07"))).toBe(94.44);
    const patterns = [
      { series: 2, months: MONTHS.join(" ") },
      { series: 1, months: without("2026-02", "2026-07").join(" ") },
    ];
    expect(coveragePercent(patterns.map((pattern) => countPeriods(pattern, RANGE)))).toBe(94.44);
  });

  it.each([
    ["a quarterly series has four periods", [["2025-10", "2026-01", "2026-04", "2026-07", "2026-10"]], 100],
    ["a quarterly series with two gaps covers half", [["2025-07", "2025-10", "2026-01", "2026-07"]], 50],
    ["an annual series has one period", [["2023-12", "2024-12", "2025-12"]], 100],
    ["an annual series that has ended lacks its period", [["2022-06", "2023-06", "2024-06"]], 0],
    // 7 of 8 months from March on, and 12 of 12: 19 / 20.
    [
      "a series is expected from its first record on",
      [MONTHS, MONTHS.slice(4).filter((m) => m !== "2026-06")],
      95,
    ],
    // From May on, the periods that end in July and October are expected.
    ["a quarterly series is expected from its first record on", [["2026-05", "2026-08", "2026-11"]], 100],
    ["a series with one record is monthly", [["2026-09"]], 50],
    ["a series that begins this month is not expected yet", [MONTHS, ["2026-11"]], 100],
    ["nothing is expected if the only series begins this month", [["2026-11"]], null],
    ["nothing is expected without records", [], null],
  ])("%s", (_, patterns, percent) => {
    expect(cover(...patterns)).toBe(percent);
  });
});
