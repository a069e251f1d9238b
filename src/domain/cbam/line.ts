export const CBAM_BASES = ["default", "actual"] as const;
/** Basis of embedded emissions: default values, or the installation's actual emissions. */
export type CbamBasis = (typeof CBAM_BASES)[number];

export interface CbamPrecursor {
  readonly cnCode: string;
  /** Tonnes used for the good. */
  readonly massT: string;
  readonly route: string | null;
}

/** Imported goods of one kind; decimals are plain. */
export interface CbamLine {
  readonly cnCode: string;
  /** Country of origin, ISO 3166-1 alpha-2, or `ZZ`. */
  readonly country: string;
  /** Tonnes of net mass. */
  readonly massT: string;
  readonly basis: CbamBasis;
  /** A letter in the legend of routes. */
  readonly route: string | null;
  /** Distinguishes goods of one CN code, such as `white clinker`. */
  readonly good: string | null;
  /** Actual emissions, in tonnes of CO2 equivalent per tonne; null for default values. */
  readonly directTco2ePerT: string | null;
  readonly indirectTco2ePerT: string | null;
  /** Used with actual emissions only. */
  readonly precursors: readonly CbamPrecursor[];
  /** Reduction for a carbon price paid abroad, in tonnes of CO2 equivalent. */
  readonly reductionTco2e: string;
}

/** Maximum number of lines in an estimate, and of imports in a declaration. */
export const MAX_CBAM_LINES = 200;
export const MAX_PRECURSORS = 10;

/** Warnings attached to an estimate. */
export const CBAM_NOTICES = [
  "FREE_ORIGIN",
  "OTHER_COUNTRIES_VALUE",
  "INDIRECT_MISSING",
  "INDIRECT_NOT_COUNTED",
  "PRECURSORS_MISSING",
  "PRECURSORS_ARE_OUR_READING",
  "BENCHMARK_PERIOD_ENDED",
  "QUARTER_MISSING",
  "PRICE_NOT_YET_PUBLISHED",
  "NOT_LAW",
  "NEAR_DE_MINIMIS",
] as const;
export type CbamNotice = (typeof CBAM_NOTICES)[number];
