import { percentOf, reachesPercent, subtractDecimals } from "../decimals.js";
import { type ScopeAmount, sumScopes } from "./scope-sums.js";

export const BASE_YEAR_FIGURES = ["scope_1_2_location", "scope_1_2_market", "scope_3"] as const;
export type BaseYearFigureName = (typeof BASE_YEAR_FIGURES)[number];

/** A figure of the base year. Amounts are plain decimals in tCO2e; all are null if the figure is unknown. */
export interface BaseYearFigure {
  readonly figure: BaseYearFigureName;
  readonly reportedExact: string | null;
  readonly restatedExact: string | null;
  readonly changeExact: string | null;
  readonly structuralExact: string | null;
  readonly otherExact: string | null;
  /** Null for a reported zero. */
  readonly changePercent: number | null;
  readonly required: boolean;
}

/** Scopes of the base year. */
export interface BaseYearScopes {
  /** Scopes of the latest issue. */
  readonly reported: readonly ScopeAmount[];
  /** Scopes of the current records, with the holdings to compare. */
  readonly restated: readonly ScopeAmount[];
  /** Scopes of the current records, with the holdings of the issue. */
  readonly withIssuedHoldings: readonly ScopeAmount[];
}

/** Compares the figures of a base year. Without a threshold, no recalculation is required. */
export const compareBaseYear = (scopes: BaseYearScopes, thresholdPercent: string | null): BaseYearFigure[] =>
  BASE_YEAR_FIGURES.map((figure) => {
    const [reported, restated, asIssued] = [scopes.reported, scopes.restated, scopes.withIssuedHoldings].map(
      (amounts) => SUMS[figure](amounts),
    );
    if (reported == null || restated == null || asIssued == null) return { figure, ...UNKNOWN };
    const change = subtractDecimals(restated, reported);
    const structural = subtractDecimals(restated, asIssued);
    return {
      figure,
      reportedExact: reported,
      restatedExact: restated,
      changeExact: change,
      structuralExact: structural,
      otherExact: subtractDecimals(change, structural),
      changePercent: percentOf(change, reported, 2),
      // If nothing was reported, any change reaches the threshold.
      required:
        thresholdPercent !== null && change !== "0" && reachesPercent(change, reported, thresholdPercent),
    };
  });

const SUMS: Readonly<Record<BaseYearFigureName, (amounts: readonly ScopeAmount[]) => string | null>> = {
  scope_1_2_location: (amounts) => sumScopes(amounts, ["scope_1", "scope_2"], "location_based"),
  scope_1_2_market: (amounts) => sumScopes(amounts, ["scope_1", "scope_2"], "market_based"),
  scope_3: (amounts) => sumScopes(amounts, ["scope_3"], null),
};

const UNKNOWN = {
  reportedExact: null,
  restatedExact: null,
  changeExact: null,
  structuralExact: null,
  otherExact: null,
  changePercent: null,
  required: false,
} as const;
