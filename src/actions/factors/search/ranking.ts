import type { IndexedFactor } from "../../../data/factors/index/factor-index.js";
import type { EmissionScope } from "../../../domain/enums.js";
import { compareEditions } from "../../../domain/factor-search/factor-series.js";
import { isConvertible, type Unit } from "../../../domain/ghg/units.js";
import { GLOBAL } from "../../../regions/regions.js";

/** Criteria of a search other than its words. */
export interface SearchCriteria {
  readonly scopes: readonly EmissionScope[];
  readonly units: readonly Unit[];
  /** Codes of the query's regions. */
  readonly regions: readonly string[];
  /** Code of the region to prefer, such as the organization's only country. */
  readonly preferRegion: string | null;
  /** Year of the edition to prefer. */
  readonly year: number;
  readonly financialYear: string | null;
}

/** A factor with its match of the query's words. */
export interface Candidate {
  readonly factor: IndexedFactor;
  /** Flags of the index's terms that are in the query. */
  readonly named: Uint8Array;
  /** Number of query words that the factor does not match. */
  readonly missed: number;
  /** Sum of the levels of the matched words. */
  readonly level: number;
  /** Number of words that match only as synonyms. */
  readonly synonyms: number;
}

/** Maximum number of series that `rankOf` tells apart; `compareEqual` orders further ones. */
const MAX_SERIES = 2 ** 14 - 1;

/**
 * Returns the ranks by all rules as one number; lower is better. Each rule breaks the ties that the rules above it
 * leave. Its best rank is 0, and its worst is the last argument of `then`. The product of these ranges stays below
 * 2^53.
 */
export function rankOf(candidate: Candidate, criteria: SearchCriteria): number {
  const { factor, missed, level, synonyms } = candidate;
  let rank = rankWords(missed, level);
  rank = then(rank, rankScope(factor, criteria), 1);
  rank = then(rank, rankAskedUnit(factor.unit, criteria.units), 2);
  rank = then(rank, rankRegion(factor.regionKey, criteria), 3);
  rank = then(rank, factor.use, 2);
  rank = then(rank, factor.row.isOwn ? 0 : 1, 1);
  rank = then(rank, countUnusual(candidate), 15);
  rank = then(rank, factor.unitRank, 1);
  rank = then(rank, factor.isOwnTransport, 1);
  rank = then(rank, factor.isRare, 1);
  rank = then(rank, countFurther(candidate), 15);
  rank = then(rank, synonyms, 20);
  rank = then(rank, factor.publication, 4);
  rank = then(rank, factor.unit.dimension === "freight distance" ? 1 : 0, 1);
  return then(rank, factor.series, MAX_SERIES);
}

/** Ranks by the first rule: more matched words first, then better matches. */
export const rankWords = (missed: number, level: number): number => then(Math.min(missed, 20), level, 40);

const then = (rank: number, next: number, max: number): number => rank * (max + 1) + Math.min(next, max);

function rankScope({ row }: IndexedFactor, { scopes }: SearchCriteria): number {
  return scopes.length === 0 || scopes.some((scope) => scope === row.scope) ? 0 : 1;
}

/** Counts traits of an unusual variant that are not in the query. */
function countUnusual({ factor, named }: Candidate): number {
  let count = 0;
  for (const term of factor.unusual) if (named[term] === 0) count += 1;
  return count;
}

/** Counts terms of the factor's name that are not in the query. */
function countFurther({ factor, named }: Candidate): number {
  let count = 0;
  for (const terms of factor.further) if (!terms.some((term) => named[term] === 1)) count += 1;
  return count;
}

/** Ranks by the unit in the query: the same unit, then one that converts, then others. */
function rankAskedUnit(unit: Unit, asked: readonly Unit[]): number {
  if (asked.length === 0 || (asked.length === 1 && asked[0]?.name === unit.name)) return 0;
  return asked.some((one) => isAskedUnit(unit, one)) ? 1 : 2;
}

/** Returns true if the query's unit can mean a factor's unit: a bare `kWh` can be of either calorific value. */
export const isAskedUnit = (unit: Unit, asked: Unit): boolean =>
  isConvertible(asked, unit) || (asked.dimension === unit.dimension && asked.qualifier === null);

/**
 * Ranks by region: those in the query or else the preferred one, then `Global`, then a preferred one that is not in the
 * query, then others.
 */
function rankRegion(regionKey: string, { regions, preferRegion }: SearchCriteria): number {
  if (regions.length > 0 ? regions.includes(regionKey) : regionKey === preferRegion) return 0;
  if (regionKey === GLOBAL) return 1;
  return regionKey === preferRegion ? 2 : 3;
}

/** Compares factors of equal rank: editions of a series by year, different series by their numbers in the index. */
export function compareEqual(
  { row: one, series }: IndexedFactor,
  { row: other, series: otherSeries }: IndexedFactor,
  criteria: SearchCriteria,
): number {
  if (series !== otherSeries) return series - otherSeries;
  const names = (row: typeof one) =>
    Number(criteria.financialYear === null || !row.detail?.includes(criteria.financialYear));
  return (
    names(one) - names(other) ||
    compareEditions(one.sourceYear, other.sourceYear, criteria.year) ||
    (one.id < other.id ? -1 : 1)
  );
}
