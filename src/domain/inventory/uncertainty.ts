import { percentOf } from "../decimals.js";
import { divideFractions, multiplyFractions, readFraction, roundRoot } from "../fractions.js";
import type { InventoryUncertainty } from "./inventory.js";

/** Sums over streams that state an uncertainty. */
export interface CoveredStreams {
  /** Their tonnes as a plain decimal. */
  readonly tonnes: string;
  /** Sum of their (x · u)², with x in tonnes and u in percent, as a plain decimal. */
  readonly squares: string;
}

/**
 * Combines the uncertainties of streams as independent quantities, by the root of the sum of squares (IPCC 2006
 * Guidelines, volume 1, chapter 3, equation 3.2). Null if no tonnes are covered. `whole` is the amount of all streams.
 */
export function combineUncertainty(
  { tonnes, squares }: CoveredStreams,
  whole: string,
): InventoryUncertainty | null {
  if (tonnes === "0") return null;
  const square = readFraction(squares);
  const covered = readFraction(tonnes);
  const relative = divideFractions(square, multiplyFractions([covered, covered]));
  return {
    co2eTonnesExact: roundRoot(divideFractions(square, readFraction("10000")), 6),
    percent: Number(roundRoot(relative, 2)),
    coveredPercent: percentOf(tonnes, whole, 2),
  };
}
