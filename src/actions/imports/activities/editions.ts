import type { FactorRow } from "../../../data/factors/factors.js";
import { seriesOf } from "../../../domain/factor-search/factor-series.js";

/** A factor for the records of a range of years. */
export interface Edition {
  readonly factor: FactorRow;
  readonly from: number;
  readonly to: number;
  /** True if the factor is newer than the records. */
  readonly isNewer: boolean;
}

const FIRST_YEAR = 0;
const LAST_YEAR = 9_999;

/** Returns one factor for all years. */
export const inEveryYear = (factor: FactorRow): readonly Edition[] => [
  { factor, from: FIRST_YEAR, to: LAST_YEAR, isNewer: false },
];

/**
 * Lists the editions of a factor's series, which `others` may contain, by year: the latest up to a record's year, and
 * the oldest for earlier records.
 */
export function listEditions(factor: FactorRow, others: readonly FactorRow[]): readonly Edition[] {
  const series = seriesOf(factor);
  const byYear = new Map(
    others
      .filter((other) => other.verified && seriesOf(other) === series)
      .map((other) => [other.sourceYear, other]),
  );
  byYear.set(factor.sourceYear, factor);
  const factors = [...byYear.values()].toSorted((a, b) => a.sourceYear - b.sourceYear);
  const [oldest] = factors;
  if (!oldest) return [];
  const later = factors.map((edition, index) => ({
    factor: edition,
    from: edition.sourceYear,
    to: (factors[index + 1]?.sourceYear ?? LAST_YEAR + 1) - 1,
    isNewer: false,
  }));
  return [{ factor: oldest, from: FIRST_YEAR, to: oldest.sourceYear - 1, isNewer: true }, ...later];
}
