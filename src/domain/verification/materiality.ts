import { addDecimals, isLarger, multiplyDecimals } from "../decimals.js";

const abs = (amount: string) => amount.replace(/^-/, "");

/** Returns the sum of the absolute misstatements as a plain decimal. Opposite signs do not cancel out. */
export const sumMisstatements = (misstatements: readonly string[]): string =>
  addDecimals(misstatements.map(abs));

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
  if (sum === "0") return false;
  const max = multiplyDecimals([abs(total), materialityPercent, "0.01"]);
  return !isLarger(max, sum);
}
