import type { IndexedFactor } from "../../../data/factors/index/factor-index.js";
import type { EmissionScope } from "../../../domain/enums.js";
import { compareEditions } from "../../../domain/factor-search/series.js";
import { isConvertible, type Unit } from "../../../domain/ghg/units.js";
import { GLOBAL } from "../../../regions/regions.js";

/** What a search wants, beside its words. */
export interface Wish {
  readonly scopes: readonly EmissionScope[];
  readonly units: readonly Unit[];
  /** Codes of the regions in the query. */
  readonly regions: readonly string[];
  /** The code of the facility's country, or of the organization's only one. */
  readonly preferRegion: string | null;
  /** The year of an edition, and the financial year that its detail names. */
  readonly year: number;
  readonly financialYear: string | null;
}

/** A factor with how it matches the words of the query. */
export interface Candidate {
  readonly factor: IndexedFactor;
  /** The terms of its index that the query names. */
  readonly named: Uint8Array;
  /** The number of words that it does not have. */
  readonly missed: number;
  /** The sum of the levels of those that it has. */
  readonly level: number;
  /** The number of words that only synonyms of the factor's words match. */
  readonly synonyms: number;
}

/** The most series that are told apart; others of equal rank come in no order. */
const MOST_SERIES = 2 ** 14 - 1;

/**
 * The ranks by all rules as one number, of which the smaller is better. Each rule decides only what the ones above leave
 * open; 0 is its best rank, and the last argument its largest that counts. The product of these stays below 2^53.
 */
export function rankOf(candidate: Candidate, wish: Wish): number {
  const { factor, missed, level, synonyms } = candidate;
  let rank = rankWords(missed, level);
  rank = then(rank, rankScope(factor, wish), 1);
  rank = then(rank, rankAskedUnit(factor.unit, wish.units), 2);
  rank = then(rank, rankRegion(factor.regionKey, wish), 3);
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
  return then(rank, factor.series, MOST_SERIES);
}

/** The first rule: more words matched, and matched better. */
export const rankWords = (missed: number, level: number): number => then(Math.min(missed, 20), level, 40);

const then = (rank: number, next: number, most: number): number => rank * (most + 1) + Math.min(next, most);

function rankScope({ row }: IndexedFactor, { scopes }: Wish): number {
  return scopes.length === 0 || scopes.some((scope) => scope === row.scope) ? 0 : 1;
}

/** Traits of an unusual variant that the query does not name. */
function countUnusual({ factor, named }: Candidate): number {
  let count = 0;
  for (const term of factor.unusual) if (named[term] === 0) count += 1;
  return count;
}

/** Terms of the name that the query does not name. */
function countFurther({ factor, named }: Candidate): number {
  let count = 0;
  for (const terms of factor.further) if (!terms.some((term) => named[term] === 1)) count += 1;
  return count;
}

/** The unit in the query: the same, then one that converts, then others. */
function rankAskedUnit(unit: Unit, asked: readonly Unit[]): number {
  if (asked.length === 0 || (asked.length === 1 && asked[0]?.name === unit.name)) return 0;
  return asked.some((one) => isAskedUnit(unit, one)) ? 1 : 2;
}

/** Returns true if an amount in the asked unit can be meant in that of a factor: a bare `kWh` may be of either calorific value. */
export const isAskedUnit = (unit: Unit, asked: Unit): boolean =>
  isConvertible(asked, unit) || (asked.dimension === unit.dimension && asked.qualifier === null);

/** The region in the query, else the preferred one; then `Global`; then others. */
function rankRegion(regionKey: string, { regions, preferRegion }: Wish): number {
  if (regions.length > 0 ? regions.includes(regionKey) : regionKey === preferRegion) return 0;
  if (regionKey === GLOBAL) return 1;
  return regionKey === preferRegion ? 2 : 3;
}

/** Compares factors of equal rank: the editions of a series by year, all others by their names. */
export function compareEqual(
  { row: one, series }: IndexedFactor,
  { row: other, series: otherSeries }: IndexedFactor,
  wish: Wish,
): number {
  if (series !== otherSeries) return series - otherSeries;
  const names = (row: typeof one) =>
    Number(wish.financialYear === null || !row.detail?.includes(wish.financialYear));
  return (
    names(one) - names(other) ||
    compareEditions(one.sourceYear, other.sourceYear, wish.year) ||
    (one.id < other.id ? -1 : 1)
  );
}
