import type { CbamRules, CbamScenario, CbamSector } from "./rules.js";

/** The years of the definitive period in which free allocation is phased out. */
export const FIRST_CBAM_YEAR = 2026;
export const LAST_CBAM_YEAR = 2034;

/** The last year that benchmarks and the cross-sectoral correction factor are published for. */
export const LAST_BENCHMARK_YEAR = 2030;

export const isCbamYear = (year: number): boolean => year >= FIRST_CBAM_YEAR && year <= LAST_CBAM_YEAR;

/** The share of free allocation that is left in a year. Article 10a(1a) of Directive 2003/87/EC. */
export function findCbamFactor({ cbamFactors }: CbamRules, scenario: CbamScenario, year: number): string {
  const factor = cbamFactors[scenario][year] ?? cbamFactors.law[year];
  if (factor === undefined) throw new Error(`there is no CBAM factor of ${year}`);
  return factor;
}

/** What is added to a default value, as a share of it. Annex IV of Implementing Regulation (EU) 2025/2621. */
export function findMarkup({ markups }: CbamRules, sector: CbamSector, year: number): string {
  if (sector === "fertilisers") return markups.fertilisers;
  const markup = markups.general[year] ?? markups.general["2028+"];
  if (markup === undefined) throw new Error(`there is no mark-up of ${year}`);
  return markup;
}
