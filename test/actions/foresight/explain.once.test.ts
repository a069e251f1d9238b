import { describe, expect, it } from "vitest";
import { describeAnomaly, explainAnomaly } from "../../../src/actions/foresight/explain.js";
import type { FoundAnomaly } from "../../../src/domain/foresight/find-anomalies.js";

const anomaly = (changed: Partial<FoundAnomaly>): FoundAnomaly => ({
  type: "z_score",
  severity: "high",
  month: "2026-05",
  value: null,
  expected: null,
  changePercent: null,
  zScore: null,
  robustZ: null,
  periods: null,
  trailing: null,
  until: null,
  ...changed,
});

describe("explainAnomaly", () => {
  it.each([
    [67.512, 21.801, "three times the usual month (67.5 t, usually about 22 t)"],
    [95, 41, "more than twice the usual month (95 t, usually about 41 t)"],
    [37, 20, "almost twice the usual month (37 t, usually about 20 t)"],
    [30, 20, "above the usual month (30 t, usually about 20 t)"],
    [12_345.6, 600, "many times the usual month (12,346 t, usually about 600 t)"],
    [5, 0.0123, "more than a hundred times the usual month (5 t, usually about 0.012 t)"],
    [14, 20, "below the usual month (14 t, usually about 20 t)"],
    [10, 20, "half the usual month (10 t, usually about 20 t)"],
    [3.456, 20, "less than half the usual month (3.46 t, usually about 20 t)"],
    [0, 20, "nothing, usually about 20 t"],
    [7, 0, "7 t, usually none"],
  ])("compares %f t with the median of %f t", (value, expected, words) => {
    expect(explainAnomaly(anomaly({ value, expected }), "tCO2e")).toBe(words);
  });

  it.each([
    [140, 88, 59.09, "59 % above May 2025 (140 t instead of 88 t)"],
    [74.995, 100, -25.01, "25 % below May 2025 (75 t instead of 100 t)"],
    [40, 8, 400, "five times May 2025 (40 t instead of 8 t)"],
  ])("compares %f t with %f t a year before", (value, expected, changePercent, words) => {
    expect(explainAnomaly(anomaly({ type: "yoy", value, expected, changePercent }), "tCO2e")).toBe(words);
  });

  it("names the unit of credits and prices, and points out what is new", () => {
    expect(explainAnomaly(anomaly({ value: 25, expected: 10 }), "EUR")).toBe(
      "more than twice the usual month (25 EUR, usually about 10 EUR)",
    );
    expect(explainAnomaly(anomaly({ type: "new_source", value: 5, expected: 0 }), "tCO2e")).toBe(
      "5 t, after none in May 2025",
    );
  });

  it.each([
    ["2026-03", "2026-05", "No records from March to May 2026"],
    ["2025-11", "2026-02", "No records from November 2025 to February 2026"],
    ["2026-03", "2026-03", "No records for March 2026"],
    ["2026-07", null, "No records since July 2026"],
  ])("names the months of a gap from %s to %s", (month, until, words) => {
    expect(explainAnomaly(anomaly({ type: "gap", month, until, periods: 1 }), "tCO2e")).toBe(words);
  });
});

describe("describeAnomaly", () => {
  it("is a sentence with the month and the series", () => {
    const explanation = "three times the usual month";
    expect(describeAnomaly({ type: "z_score", month: "2026-08", explanation }, "Pune, scope 2")).toBe(
      "August 2026, Pune, scope 2: three times the usual month",
    );
    expect(
      describeAnomaly({ type: "gap", month: "2026-03", explanation: "No records for March 2026" }, "Pune"),
    ).toBe("No records for March 2026: Pune");
  });
});
