import type { CbamRules, CbamSource } from "./cbam-rules.js";
import { FIRST_CBAM_YEAR } from "./years.js";

export const CBAM_QUARTERS = ["Q1", "Q2", "Q3", "Q4"] as const;
export type CbamQuarter = (typeof CBAM_QUARTERS)[number];

export type PriceNotice = "PRICE_NOT_YET_PUBLISHED" | "QUARTER_MISSING";

/** The price of a certificate. */
export interface CbamPrice {
  /** Euros, a plain decimal. */
  readonly eur: string;
  /** Such as `2026-Q3`; null for a price given by the caller. */
  readonly period: string | null;
  /** Null for a price given by the caller. */
  readonly source: CbamSource | null;
  /** Reason why the final price may differ. */
  readonly notice: PriceNotice | null;
}

export interface ImportTime {
  readonly year: number;
  readonly quarter: CbamQuarter | null;
}

/**
 * Returns the price of a certificate: the `given` price; else the published price of the quarter of import; else the
 * latest published price. Article 22 of Regulation (EU) 2023/956 and Implementing Regulation (EU) 2025/2548.
 */
export function findPrice(
  { prices, sources }: CbamRules,
  { year, quarter }: ImportTime,
  given: string | null,
): CbamPrice {
  if (given !== null) return { eur: given, period: null, source: null, notice: null };
  const latest = prices.findLast(({ eur }) => eur !== null);
  const wanted = quarter && prices.find((price) => price.quarter === `${year}-${quarter}`);
  const price = wanted?.eur ? wanted : latest;
  if (!price?.eur) throw new Error("the ruleset has no published certificate price");
  const isMissing = year === FIRST_CBAM_YEAR && quarter === null;
  const notice = isMissing ? "QUARTER_MISSING" : "PRICE_NOT_YET_PUBLISHED";
  return {
    eur: price.eur,
    period: price.quarter,
    source: sources.price,
    notice: price === wanted ? null : notice,
  };
}
