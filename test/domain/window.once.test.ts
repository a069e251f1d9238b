import { describe, expect, it } from "vitest";
import { addDays, endOfMonth, isIsoDate, isoDate, lastTwelveMonths } from "../../src/domain/window.js";

describe("the last 12 months", () => {
  it.each([
    ["an ordinary day", "2026-11-20T10:00:00.000Z", "2025-11-21", "2026-11-20"],
    ["a leap day, which last year did not have", "2024-02-29T12:00:00.000Z", "2023-03-01", "2024-02-29"],
    ["28 February after a leap year", "2025-02-28T12:00:00.000Z", "2024-02-29", "2025-02-28"],
    ["28 February of a leap year", "2024-02-28T12:00:00.000Z", "2023-03-01", "2024-02-28"],
    ["1 March after a leap year", "2025-03-01T12:00:00.000Z", "2024-03-02", "2025-03-01"],
    ["a month's end", "2024-03-31T12:00:00.000Z", "2023-04-01", "2024-03-31"],
    ["the year's last instant", "2026-12-31T23:59:59.999Z", "2026-01-01", "2026-12-31"],
    ["the year's first instant", "2027-01-01T00:00:00.000Z", "2026-01-02", "2027-01-01"],
    ["the last instant of its first day", "2027-01-01T23:59:59.999Z", "2026-01-02", "2027-01-01"],
  ])("as of %s", (_what, now, from, to) => {
    expect(lastTwelveMonths(new Date(now))).toEqual({ from, to });
  });

  it("move forward daily: tomorrow's window begins at most two days later, and ends one day later", () => {
    for (let day = 0; day < 8 * 366; day += 1) {
      const today = new Date(Date.UTC(2023, 0, 1 + day, 15));
      const tomorrow = new Date(Date.UTC(2023, 0, 2 + day, 15));
      const [now, next] = [lastTwelveMonths(today), lastTwelveMonths(tomorrow)];
      const step = (Date.parse(next.from) - Date.parse(now.from)) / 86_400_000;
      // The start does not move on a leap day, and moves by two days after 28 February if last year had a 29th.
      expect([now.from, [0, 1, 2].includes(step)]).toEqual([now.from, true]);
      expect(next.to).toBe(addDays(today, 1));
      expect(lastTwelveMonths(new Date(`${now.to}T00:00:00.000Z`))).toEqual(now);
    }
  });
});

describe("dates", () => {
  it("are UTC calendar dates at any hour", () => {
    expect(isoDate(new Date("2026-11-20T00:00:00.000Z"))).toBe("2026-11-20");
    expect(isoDate(new Date("2026-11-20T23:59:59.999Z"))).toBe("2026-11-20");
    expect(isoDate(new Date("2026-11-20T23:30:00-02:00"))).toBe("2026-11-21");
  });

  it.each([
    ["2026-11-20T23:59:59.999Z", 1, "2026-11-21"],
    ["2026-12-31T10:00:00.000Z", 1, "2027-01-01"],
    ["2024-03-01T10:00:00.000Z", -1, "2024-02-29"],
    ["2026-11-20T10:00:00.000Z", 0, "2026-11-20"],
  ])("%s plus %i days is %s", (from, days, to) => {
    expect(addDays(new Date(from), days)).toBe(to);
  });

  it.each([
    ["2024-01-31T10:00:00.000Z", 1, "2024-02-29"],
    ["2026-11-20T10:00:00.000Z", 0, "2026-11-30"],
    ["2026-11-20T10:00:00.000Z", -11, "2025-12-31"],
  ])("%s plus %i months is in the month that ends on %s", (from, months, to) => {
    expect(endOfMonth(new Date(from), months)).toBe(to);
  });

  it.each(["2024-02-29", "2026-12-31", "0001-01-01", "9999-12-31"])("exist: %s", (text) => {
    expect(isIsoDate(text)).toBe(true);
  });

  it.each([
    "2026-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "0000-01-01",
    "2026-1-1",
    "20261120",
    "2026-11-20T00:00:00Z",
    " 2026-11-20",
    "2026-11-20\n",
    "",
  ])("do not exist: %j", (text) => {
    expect(isIsoDate(text)).toBe(false);
  });
});
