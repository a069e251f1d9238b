import { describe, expect, it } from "vitest";
import { multiplyDecimals, percentOf, readDecimal, subtractDecimals } from "../../src/domain/decimals.js";

describe("a difference of decimals", () => {
  it.each([
    ["0.3", "0.1", "0.2"],
    ["0.1", "0.3", "-0.2"],
    ["1", "1", "0"],
    ["0.1", "0.1", "0"],
    ["1.5", "0.5", "1"],
    ["10", "0.000001", "9.999999"],
    ["0", "0", "0"],
    ["0", "12.5", "-12.5"],
    ["100", "1", "99"],
    ["100", "0", "100"],
    ["5", "105", "-100"],
    ["123456789012345678.123456", "0.000001", "123456789012345678.123455"],
    ["0.000001", "123456789012345678.123456", "-123456789012345678.123455"],
    ["1", "0.999999999", "0.000000001"],
    ["1.250000000", "0.25", "1"],
  ])("%s - %s = %s", (minuend, subtrahend, difference) => {
    expect(subtractDecimals(minuend, subtrahend)).toBe(difference);
  });

  it("equals the difference in whole millionths", () => {
    // Linear congruence of Numerical Recipes: the same numbers in every run.
    let seed = 1n;
    const random = (below: bigint) => {
      seed = (seed * 1_664_525n + 1_013_904_223n) % 2n ** 32n;
      return (seed * below) >> 32n;
    };
    const decimal = (millionths: bigint) => {
      const size = millionths < 0n ? -millionths : millionths;
      const [whole, fraction] = [size / 1_000_000n, String(size % 1_000_000n).padStart(6, "0")];
      const text = `${whole}.${fraction}`.replace(/\.?0+$/, "");
      return `${millionths < 0n ? "-" : ""}${text === "" ? "0" : text}`;
    };
    for (let round = 0; round < 2_000; round += 1) {
      const [left, right] = [random(10n ** BigInt(1 + (round % 20))), random(10n ** BigInt(1 + (round % 7)))];
      expect(subtractDecimals(decimal(left), decimal(right))).toBe(decimal(left - right));
    }
  });
});

describe("a percentage", () => {
  it.each([
    ["1", "3", 33.333333],
    ["-1", "3", -33.333333],
    ["2", "3", 66.666667],
    ["-2", "3", -66.666667],
    ["0.5", "1000000000", 0],
    ["0.000000005", "1", 0.000001],
    ["-0.000000005", "1", -0.000001],
    ["0.000000015", "1", 0.000002],
    ["0.000000004999999999", "1", 0],
    ["-0.000000004999999999", "1", 0],
    ["0.07", "1", 7],
    ["1.005", "100", 1.005],
    ["0.1", "0.3", 33.333333],
    ["1", "-8", -12.5],
    ["123456789012345678.123456", "123456789012345678.123456", 100],
    ["5", "0", null],
    ["0", "0.000", null],
    ["0", "7", 0],
  ])("of %s in %s is %s: at most 6 decimals, rounded half away from zero", (part, whole, percent) => {
    expect(percentOf(part, whole)).toBe(percent);
  });
});

describe("a product of decimals", () => {
  it.each([
    [["0.1", "0.2"], 6, "0.02"],
    [["1.5", "1.5"], 1, "2.3"],
    [["1.5", "1.5"], 2, "2.25"],
    [["0.0000004", "1"], 6, "0"],
    [["0.0000005", "1"], 6, "0.000001"],
    [["2", "3", "4"], 6, "24"],
    [["123456789012345678", "10"], 6, "1234567890123456780"],
    [["0.5"], 0, "1"],
  ])("%j to %i decimals is %s", (factors, decimals, product) => {
    expect(multiplyDecimals(factors, decimals)).toBe(product);
  });
});

describe("a decimal in its original notation", () => {
  const LIMITS = { integerDigits: 18, decimals: 6 };

  it.each([
    ["1.50e2", "150"],
    ["-0", "0"],
    ["-0.0", "0"],
    ["000.100", "0.1"],
    ["1e-6", "0.000001"],
    ["123456789012345678.123456", "123456789012345678.123456"],
    ["-1.5E+3", "-1500"],
    ["0e999999999", "0"],
    ["1.0000000", "1"],
  ])("%s is %s", (text, decimal) => {
    expect(readDecimal(text, LIMITS)).toBe(decimal);
  });

  it.each([
    "",
    "abc",
    ".5",
    "5.",
    "1,5",
    "+1",
    "0x10",
    " 1",
    "NaN",
    "Infinity",
    "1e400",
    "1e-7",
    "1234567890123456789",
    "0.1234567",
    "1".repeat(101),
  ])("%j is not a decimal within the limits", (text) => {
    expect(readDecimal(text, LIMITS)).toBeUndefined();
  });
});
