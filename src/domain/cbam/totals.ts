import { addDecimals, isLarger, multiplyDecimals, roundUp, subtractDecimals } from "../decimals.js";
import type { CbamRules } from "./cbam-rules.js";
import { EURO_DECIMALS, type LineEstimate } from "./estimate-line.js";
import { countsTowardsThreshold } from "./goods.js";

/** Result of the de minimis test, which exempts importers of small amounts. */
export interface DeMinimis {
  /** Tonnes of net mass that count; hydrogen and goods from exempt countries do not. */
  readonly massT: string;
  readonly thresholdT: string;
  /**
   * True if goods whose mass counts require no certificates. False if all goods are hydrogen, which is never exempt.
   */
  readonly isExempt: boolean;
}

/**
 * Tests the exemption for up to 50 t in a calendar year. Article 2a of Regulation (EU) 2023/956, as amended by
 * Regulation (EU) 2025/2083.
 */
export function findDeMinimis({ deMinimisThreshold }: CbamRules, lines: readonly LineEstimate[]): DeMinimis {
  const counted = lines.filter((line) => countsTowardsThreshold(line) && !line.isFreeOrigin);
  const massT = addDecimals(counted.map((line) => line.massT));
  const isOnlyHydrogen = lines.length > 0 && !lines.some(countsTowardsThreshold);
  const isExempt = !isOnlyHydrogen && !isLarger(massT, deMinimisThreshold);
  return { massT, thresholdT: deMinimisThreshold, isExempt };
}

/** Sums of lines, whose certificates and costs are rounded; decimals are plain. */
export interface EstimateTotal {
  readonly embeddedEmissions: string;
  readonly certificates: string;
  readonly costEur: string;
  /** Whole certificates to buy: rounded up, without exempt goods. */
  readonly certificatesToBuy: bigint;
  /**
   * Cost of `certificatesToBuy` in euros, rounded half away from zero to 2 decimals. The fraction added by rounding up
   * is charged at the highest price of the lines.
   */
  readonly costToBuyEur: string;
}

/** Lists the lines that the de minimis exemption does not cover. */
export const listNonExempt = <Line extends LineEstimate>(
  lines: readonly Line[],
  { isExempt }: DeMinimis,
): readonly Line[] => lines.filter((line) => !(isExempt && countsTowardsThreshold(line)));

export function sumLines(lines: readonly LineEstimate[], deMinimis: DeMinimis): EstimateTotal {
  const needed = listNonExempt(lines, deMinimis);
  const certificatesNeeded = addDecimals(needed.map((line) => line.certificates));
  const certificatesToBuy = roundUp(certificatesNeeded);
  const added = subtractDecimals(String(certificatesToBuy), certificatesNeeded);
  const highest = needed.reduce((price, { priceEur }) => (isLarger(priceEur, price) ? priceEur : price), "0");
  const costs = needed.map((line) => multiplyDecimals([line.certificates, line.priceEur]));
  const costToBuy = addDecimals([...costs, multiplyDecimals([added, highest])]);
  return {
    embeddedEmissions: addDecimals(lines.map((line) => line.embedded.total)),
    certificates: addDecimals(lines.map((line) => line.certificates)),
    costEur: addDecimals(lines.map((line) => line.costEur)),
    certificatesToBuy,
    costToBuyEur: multiplyDecimals([costToBuy], EURO_DECIMALS),
  };
}
