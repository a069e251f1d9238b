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

interface Rule {
  /** The largest rank that counts. */
  readonly most: number;
  /** 0 is best. */
  readonly rank: (candidate: Candidate, wish: Wish) => number;
}

/** Each rule decides only what the ones above leave open. */
const RULES: readonly Rule[] = [
  { most: 20, rank: ({ missed }) => missed },
  { most: 40, rank: ({ level }) => level },
  { most: 1, rank: rankScope },
  { most: 2, rank: ({ factor }, { units }) => rankAskedUnit(factor.unit, units) },
  { most: 3, rank: ({ factor }, wish) => rankRegion(factor.regionKey, wish) },
  { most: 2, rank: ({ factor }) => factor.use },
  { most: 1, rank: ({ factor }) => (factor.row.isOwn ? 0 : 1) },
  { most: 15, rank: countUnusual },
  { most: 1, rank: ({ factor }) => factor.unitRank },
  { most: 1, rank: ({ factor }) => factor.isOwnTransport },
  { most: 1, rank: ({ factor }) => factor.isRare },
  { most: 15, rank: countFurther },
  { most: 20, rank: ({ synonyms }) => synonyms },
  { most: 4, rank: ({ factor }) => factor.publication },
  { most: 1, rank: ({ factor }) => (factor.unit.dimension === "freight distance" ? 1 : 0) },
];

/** The ranks by all rules as one number, of which the smaller is better. It stays below 2^53. */
export function rankOf(candidate: Candidate, wish: Wish): number {
  let all = 0;
  for (const { most, rank } of RULES) all = all * (most + 1) + Math.min(rank(candidate, wish), most);
  return all;
}

function rankScope({ factor }: Candidate, { scopes }: Wish): number {
  return scopes.length === 0 || scopes.some((scope) => scope === factor.row.scope) ? 0 : 1;
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
