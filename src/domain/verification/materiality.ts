import { addDecimals, isLarger, multiplyDecimals } from "../amounts.js";

const sizeOf = (amount: string) => amount.replace(/^-/, "");

/** The sum of misstatements without regard to their signs, as a plain decimal: they do not cancel each other out. */
export const sumMisstatements = (misstatements: readonly string[]): string =>
  addDecimals(misstatements.map(sizeOf));

/**
 * Whether misstatements reach the materiality: Σ|misstatement| / |total| ≥ `materialityPercent` %. Of a total of zero, any
 * misstatement does. All are plain decimals, and compared exactly.
 */
export function reachesMateriality(
  misstatements: readonly string[],
  total: string,
  materialityPercent: string,
): boolean {
  const sum = sumMisstatements(misstatements);
  if (sum === "0") return false;
  const most = multiplyDecimals([sizeOf(total), materialityPercent, "0.01"]);
  return !isLarger(most, sum);
}
