import { addDecimals, isLarger, roundUp } from "../amounts.js";
import type { LineEstimate } from "./estimate.js";
import { countsTowardsThreshold } from "./goods.js";
import type { CbamRules } from "./rules.js";

/** Whether an importer's year is too small to need certificates. */
export interface DeMinimis {
  /** Tonnes of net mass that count: not hydrogen, and no goods of a free origin. */
  readonly massT: string;
  readonly thresholdT: string;
  /** Whether the goods whose mass counts need no certificates. False where all goods are hydrogen, which is never exempt. */
  readonly isExempt: boolean;
}

/** Article 2a of Regulation (EU) 2023/956, as Regulation (EU) 2025/2083 has it: up to 50 t in a calendar year. */
export function findDeMinimis({ deMinimisThreshold }: CbamRules, lines: readonly LineEstimate[]): DeMinimis {
  const counted = lines.filter((line) => countsTowardsThreshold(line) && !line.isFreeOrigin);
  const massT = addDecimals(counted.map((line) => line.massT));
  const isOnlyHydrogen = lines.length > 0 && !lines.some(countsTowardsThreshold);
  const isExempt = !isOnlyHydrogen && !isLarger(massT, deMinimisThreshold);
  return { massT, thresholdT: deMinimisThreshold, isExempt };
}

/** Sums of rounded lines; decimals are plain. */
export interface EstimateTotal {
  readonly embeddedEmissions: string;
  readonly certificates: string;
  readonly costEur: string;
  /** Whole certificates that have to be bought: rounded up, without goods that are exempt. */
  readonly certificatesToBuy: bigint;
}

/** The lines that need certificates: not those that are exempt. */
export const listNeeded = <Line extends LineEstimate>(
  lines: readonly Line[],
  { isExempt }: DeMinimis,
): readonly Line[] => lines.filter((line) => !(isExempt && countsTowardsThreshold(line)));

/** Adds up lines. */
export function sumLines(lines: readonly LineEstimate[], deMinimis: DeMinimis): EstimateTotal {
  const needed = listNeeded(lines, deMinimis);
  return {
    embeddedEmissions: addDecimals(lines.map((line) => line.embedded.total)),
    certificates: addDecimals(lines.map((line) => line.certificates)),
    costEur: addDecimals(lines.map((line) => line.costEur)),
    certificatesToBuy: roundUp(addDecimals(needed.map((line) => line.certificates))),
  };
}
