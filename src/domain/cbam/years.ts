import type { CbamRules, CbamScenario, CbamSector } from "./cbam-rules.js";

/** First and last years of the definitive period's phase-out of free allocation. */
export const FIRST_CBAM_YEAR = 2026;
export const LAST_CBAM_YEAR = 2034;

/** Last year for which benchmarks and the cross-sectoral correction factor are published. */
export const LAST_BENCHMARK_YEAR = 2030;

export const isCbamYear = (year: number): boolean => year >= FIRST_CBAM_YEAR && year <= LAST_CBAM_YEAR;

/**
 * Returns the remaining share of free allocation in a year. Article 10a(1a) of Directive 2003/87/EC. The law applies to
 * years for which the scenario has no share.
 */
export function findCbamFactor({ cbamFactors }: CbamRules, scenario: CbamScenario, year: number): string {
  const factor = cbamFactors[scenario][year] ?? cbamFactors.law[year];
  if (factor === undefined) throw new Error(`the ruleset has no CBAM factor for ${year}`);
  return factor;
}

/**
 * Returns the mark-up on default values, as a share of the value. Annex IV of Implementing Regulation (EU) 2025/2621.
 */
export function findMarkup({ markups }: CbamRules, sector: CbamSector, year: number): string {
  if (sector === "fertilisers") return markups.fertilisers;
  const markup = markups.general[year] ?? markups.general["2028+"];
  if (markup === undefined) throw new Error(`the ruleset has no mark-up for ${year}`);
  return markup;
}
