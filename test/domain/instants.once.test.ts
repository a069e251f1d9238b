import { describe, expect, it } from "vitest";
import { readExpiry } from "../../src/commands/options.js";

describe("an expiry on the command line", () => {
  it.each([
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31T12:30", "2027-01-31T12:30:00.000Z"],
    ["2027-01-31T12:30:15", "2027-01-31T12:30:15.000Z"],
    ["2027-01-31T12:30:15.5Z", "2027-01-31T12:30:15.500Z"],
    ["2027-01-31T05:30:00+05:30", "2027-01-31T00:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ])("%s is %s: in UTC if it names no zone", (text, instant) => {
    expect(readExpiry(text)).toEqual(new Date(instant));
  });

  it("may be never", () => {
    expect(readExpiry("never")).toBe("never");
  });

  it.each([
    "",
    "tomorrow",
    "2027",
    "2027-02-30",
    "2027-02-29T00:00:00Z",
    "2027-01-31T25:00",
    "2027-01-31T",
    "31.01.2027",
  ])("%j is refused", (text) => {
    expect(() => readExpiry(text)).toThrow("Expected ISO 8601, such as 2027-01-31T00:00:00Z, or never.");
  });
});
