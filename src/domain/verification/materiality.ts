import { absolute, addDecimals, reachesPercent } from "../decimals.js";

/** Returns the sum of the absolute misstatements as a plain decimal. Opposite signs do not cancel out. */
export const sumMisstatements = (misstatements: readonly string[]): string =>
  addDecimals(misstatements.map(absolute));

/**
 * Returns true if misstatements reach the materiality: Σ|misstatement| / |total| ≥ `materialityPercent` %. If the total
 * is zero, any misstatement does. All amounts are plain decimals, compared exactly.
 */
export function reachesMateriality(
  misstatements: readonly string[],
  total: string,
  materialityPercent: string,
): boolean {
  const sum = sumMisstatements(misstatements);
  return sum !== "0" && reachesPercent(sum, total, materialityPercent);
}
