import { describe, expect, it } from "vitest";
import {
  computeCompensation,
  computePosition,
  isFinancialYear,
} from "../../src/domain/compliance/ccts-position.js";

describe("a position in the Carbon Credit Trading Scheme", () => {
  it.each([
    ["13.226", "13.1", "450000", "56700", 56_700n, 0n],
    ["13.226", "13.3111", "450000", "-38295", 0n, 38_295n],
    ["13.226", "13.226", "450000", "0", 0n, 0n],
    ["0.9", "0.8", "5", "0.5", 0n, 0n],
    ["0.8", "0.9", "5", "-0.5", 0n, 1n],
    ["0.000000002", "0.000000001", "0.000001", "0.000000000000001", 0n, 0n],
    ["0.000000001", "0.000000002", "0.000001", "-0.000000000000001", 0n, 1n],
    ["0", "0.1", "9007199254740990.5", "-900719925474099.05", 0n, 900_719_925_474_100n],
    ["1", "2", "0", "0", 0n, 0n],
  ])(
    "of target %s, achieved %s and output %s is %s",
    (targetGei, achievedGei, output, surplus, toIssue, toSurrender) => {
      expect(computePosition({ targetGei, achievedGei, output })).toEqual({ surplus, toIssue, toSurrender });
    },
  );

  it("costs twice the average price for each certificate that was not surrendered", () => {
    expect(computeCompensation(38_295n, "612.35")).toBe("46899886.5");
    expect(computeCompensation(3n, "0.000000001")).toBe("0.000000006");
    expect(computeCompensation(38_295n, null)).toBeNull();
    expect([computeCompensation(0n, null), computeCompensation(-1n, "1")]).toEqual(["0", "0"]);
  });

  it("requires two consecutive years", () => {
    expect(["2025-26", "2099-00", "1999-00"].filter(isFinancialYear)).toHaveLength(3);
    expect(
      ["2025-27", "2025-25", "2025", "25-26", "2025-026", "2025-2026", "2025–26"].filter(isFinancialYear),
    ).toEqual([]);
  });
});
