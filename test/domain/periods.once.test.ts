import { describe, expect, it } from "vitest";
import {
  daysBetween,
  isLongerThan,
  listPeriods,
  periodBefore,
  sameDaysBefore,
} from "../../src/domain/window.js";

describe("the period before", () => {
  it.each([
    ["the last 12 months", "2025-11-21", "2026-11-20", "2024-11-21", "2025-11-20"],
    ["12 months that end on a leap day", "2023-03-01", "2024-02-29", "2022-03-01", "2023-02-28"],
    ["12 months that begin on a leap day", "2024-02-29", "2025-02-28", "2023-03-01", "2024-02-28"],
    ["a calendar year", "2026-01-01", "2026-12-31", "2025-01-01", "2025-12-31"],
    ["a leap year", "2024-01-01", "2024-12-31", "2023-01-01", "2023-12-31"],
    ["February", "2026-02-01", "2026-02-28", "2026-01-01", "2026-01-31"],
    ["March of a leap year", "2024-03-01", "2024-03-31", "2024-02-01", "2024-02-29"],
    ["January", "2026-01-01", "2026-01-31", "2025-12-01", "2025-12-31"],
    ["a quarter", "2026-04-01", "2026-06-30", "2026-01-01", "2026-03-31"],
    ["the first quarter", "2026-01-01", "2026-03-31", "2025-10-01", "2025-12-31"],
    ["a month from its 10th", "2026-11-10", "2026-12-09", "2026-10-10", "2026-11-09"],
    ["10 years", "2016-01-01", "2025-12-31", "2006-01-01", "2015-12-31"],
    ["10 days", "2026-11-11", "2026-11-20", "2026-11-01", "2026-11-10"],
    ["10 days over a leap day", "2024-03-01", "2024-03-10", "2024-02-20", "2024-02-29"],
    ["one day", "2026-03-01", "2026-03-01", "2026-02-28", "2026-02-28"],
    ["the last day of February", "2026-02-28", "2026-02-28", "2026-02-27", "2026-02-27"],
    ["28 days of March", "2026-03-01", "2026-03-28", "2026-02-01", "2026-02-28"],
    ["a month except its last day", "2026-01-01", "2026-01-30", "2025-12-02", "2025-12-31"],
    ["a year and a day", "2025-01-01", "2026-01-01", "2024-01-01", "2024-12-31"],
  ])("of %s (%s to %s) is %s to %s", (_what, from, to, previousFrom, previousTo) => {
    expect(periodBefore({ from, to })).toEqual({ from: previousFrom, to: previousTo });
  });

  it("of any range ends on the day before it, and has the same length, give or take months", () => {
    const dayAt = (day: number) =>
      new Date(Date.UTC(2023, 11, 1) + day * 86_400_000).toISOString().slice(0, 10);
    const length = (from: string, to: string) =>
      Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
    for (let start = 0; start < 130; start += 1) {
      for (let days = 1; days <= 100; days += 1) {
        const [from, to] = [dayAt(start), dayAt(start + days - 1)];
        const before = periodBefore({ from, to });
        expect([from, to, before.to]).toEqual([from, to, dayAt(start - 1)]);
        const difference = Math.abs(length(before.from, before.to) - days);
        // A range of at most 27 days cannot be a month.
        expect([from, to, difference <= (days < 28 ? 0 : 3)]).toEqual([from, to, true]);
      }
    }
  });
});

describe("the steps of a trend", () => {
  it.each([
    [
      "months, cut at both ends",
      "2023-11-15",
      "2024-03-01",
      "month",
      [
        ["2023-11-01", "2023-11-15", "2023-11-30"],
        ["2023-12-01", "2023-12-01", "2023-12-31"],
        ["2024-01-01", "2024-01-01", "2024-01-31"],
        ["2024-02-01", "2024-02-01", "2024-02-29"],
        ["2024-03-01", "2024-03-01", "2024-03-01"],
      ],
    ],
    ["one day", "2026-11-20", "2026-11-20", "month", [["2026-11-01", "2026-11-20", "2026-11-20"]]],
    [
      "one day by quarter",
      "2026-11-20",
      "2026-11-20",
      "quarter",
      [["2026-10-01", "2026-11-20", "2026-11-20"]],
    ],
    [
      "quarters over a year's end",
      "2025-12-31",
      "2026-04-01",
      "quarter",
      [
        ["2025-10-01", "2025-12-31", "2025-12-31"],
        ["2026-01-01", "2026-01-01", "2026-03-31"],
        ["2026-04-01", "2026-04-01", "2026-04-01"],
      ],
    ],
  ] as const)("are %s", (_what, from, to, step, expected) => {
    expect(listPeriods({ from, to }, step).map((period) => [period.start, period.from, period.to])).toEqual(
      expected,
    );
  });

  it("of whole years are 12 months and 4 quarters each", () => {
    const years = { from: "2016-01-01", to: "2025-12-31" };
    expect(listPeriods(years, "month")).toHaveLength(120);
    expect(listPeriods(years, "quarter")).toHaveLength(40);
  });
});

describe("a range is longer than 10 years", () => {
  it.each([
    ["2016-11-21", "2026-11-20", false],
    ["2016-11-20", "2026-11-20", true],
    ["2016-01-01", "2025-12-31", false],
    ["2016-01-01", "2026-01-01", true],
    ["2016-03-01", "2026-02-28", false],
    ["2024-02-29", "2034-02-27", false],
    ["2024-02-29", "2034-03-01", true],
    ["2026-11-20", "2026-11-20", false],
    ["0001-01-01", "9999-12-31", true],
  ])("%s to %s: %s", (from, to, expected) => {
    expect(isLongerThan({ from, to }, 10)).toBe(expected);
  });
});

describe("days between", () => {
  it.each([
    ["2026-11-20", "2026-11-20", 0],
    ["2026-11-20", "2026-11-21", 1],
    ["2026-11-20", "2026-11-19", -1],
    ["2024-02-28", "2024-03-01", 2],
    ["2026-03-28", "2026-03-30", 2],
    ["2025-01-01", "2026-01-01", 365],
    ["2024-01-01", "2025-01-01", 366],
  ])("%s and %s: %i", (from, to, days) => {
    expect(daysBetween(from, to)).toBe(days);
  });
});

describe("the same days before", () => {
  it.each([
    ["2026-01-01", "2026-11-25", "2025-01-01", "2025-11-25"],
    ["2026-11-01", "2026-11-30", "2025-11-01", "2025-11-30"],
    ["2025-02-01", "2025-02-28", "2024-02-01", "2024-02-29"],
    ["2024-02-01", "2024-02-29", "2023-02-01", "2023-02-28"],
    ["2025-11-26", "2026-11-25", "2024-11-26", "2025-11-25"],
    ["2025-01-01", "2026-12-31", "2023-01-01", "2024-12-31"],
    ["2025-06-01", "2026-06-10", "2023-06-01", "2024-06-10"],
  ])("of %s to %s are %s to %s", (from, to, previousFrom, previousTo) => {
    expect(sameDaysBefore({ from, to })).toEqual({ from: previousFrom, to: previousTo });
  });
});
