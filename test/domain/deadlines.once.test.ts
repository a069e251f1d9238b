import { describe, expect, it } from "vitest";
import { dayOfMonth, nextDueDate, type Recurrence } from "../../src/domain/compliance/deadlines.js";

describe("a recurring deadline is due", () => {
  it.each<[string, Recurrence, string, (string | null)[]]>([
    ["on the same day of every year", "annual", "2026-12-31", ["2027-12-31", "2028-12-31"]],
    [
      "on 28 February of the years without a 29th",
      "annual",
      "2028-02-29",
      ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"],
    ],
    ["on 28 February of every year", "annual", "2027-02-28", ["2028-02-28", "2029-02-28"]],
    [
      "on the last day of shorter months",
      "monthly",
      "2027-01-31",
      ["2027-02-28", "2027-03-31", "2027-04-30"],
    ],
    ["in leap years too", "monthly", "2028-01-30", ["2028-02-29", "2028-03-30"]],
    ["into the next year", "monthly", "2027-11-15", ["2027-12-15", "2028-01-15"]],
    ["at the end of every quarter", "quarterly", "2027-03-31", ["2027-06-30", "2027-09-30", "2027-12-31"]],
    ["every three months", "quarterly", "2027-11-30", ["2028-02-29", "2028-05-30"]],
    ["no more after 2999", "annual", "2998-06-01", ["2999-06-01", null]],
  ])("%s: %s from %s", (_what, recurrence, first, expected) => {
    let due: string | null = first;
    const days = expected.map(() => {
      due = due && nextDueDate(due, recurrence, dayOfMonth(first));
      return due;
    });
    expect(days).toEqual(expected);
  });
});
