export const CBAM_BASES = ["default", "actual"] as const;
/** What embedded emissions are reckoned by: default values, or the actual emissions of the installation. */
export type CbamBasis = (typeof CBAM_BASES)[number];

export interface CbamPrecursor {
  readonly cnCode: string;
  /** Tonnes that went into the good. */
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
  /** A letter of the legend of routes. */
  readonly route: string | null;
  /** Tells goods of one CN code apart, such as `white clinker`. */
  readonly good: string | null;
  /** Actual emissions, in tonnes of CO2 equivalent per tonne. Null for default values. */
  readonly directTco2ePerT: string | null;
  readonly indirectTco2ePerT: string | null;
  /** For actual emissions. */
  readonly precursors: readonly CbamPrecursor[];
  /** Tonnes of CO2 equivalent for a carbon price that was paid abroad. */
  readonly reductionTco2e: string;
}

/** The most goods of an estimate, and imports of a declaration. */
export const MOST_CBAM_LINES = 200;
/** The most precursors of a good. */
export const MOST_PRECURSORS = 10;

/** What to mind about an estimate. */
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
