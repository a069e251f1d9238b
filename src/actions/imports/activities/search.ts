import type { FactorRow } from "../../../data/factors/factors.js";
import type { Dictionary } from "../../../data/factors/index/dictionary.js";
import type { FactorIndex } from "../../../data/factors/index/factor-index.js";
import type { Concepts } from "../../../domain/factor-search/concepts.js";
import { rankUse } from "../../../domain/factor-search/direct-use.js";
import { foldWords } from "../../../domain/factor-search/fold-words.js";
import { findReading, listReadings } from "../../../domain/ghg/activity-mapping.js";
import { isConvertible, readUnit, type Unit } from "../../../domain/ghg/units.js";
import { GLOBAL, regionKeyOf } from "../../../regions/regions.js";
import { readTerms } from "../../factors/search/query-terms.js";
import { readQuery } from "../../factors/search/read-query.js";
import { combineDictionaries, type FoundFactor, rankFactors } from "../../factors/search/search-factors.js";

/** Search criteria for an activity of a file. */
export interface ActivityQuery {
  readonly text: string;
  readonly unit: Unit;
  readonly region: string | null;
  readonly year: number;
}

export interface ActivitySearch {
  /** The factor if the search decides; otherwise null, and `candidates` has the best three. */
  readonly decided: FactorRow | null;
  readonly candidates: readonly FactorRow[];
}

const MAX_CANDIDATES = 3;
/** Number of top-ranked factors that are compared. */
const MAX_COMPARED = 100;

/** Creates the search among the factors of the given indexes. */
export function createActivitySearch(
  indexes: readonly FactorIndex[],
  concepts: Concepts,
): (query: ActivityQuery) => ActivitySearch {
  const dictionary = combineDictionaries(indexes);
  return (query) => {
    const rank = (fits: (unit: Unit) => boolean) => {
      const { text, year, region } = query;
      const filter = ({ unit }: { readonly unit: Unit }) => fits(unit);
      return rankFactors(indexes, concepts, { text, year, preferRegion: region, filter }).slice(
        0,
        MAX_COMPARED,
      );
    };
    const readable = rank((unit) => canMean(query.unit, unit));
    const convertible = readable.filter((factor) => isConvertible(query.unit, readUnit(factor.unit)));
    const decided = decide(query, convertible, dictionary, concepts);
    if (decided) return { decided, candidates: [] };
    return { decided: null, candidates: distinct(readable.length > 0 ? readable : rank(() => true)) };
  };
}

/** Returns true if a file's unit can mean a factor's unit: a bare `kWh` can mean gross kWh, and a `ton` tonnes. */
const canMean = (unit: Unit, factorUnit: Unit): boolean =>
  findReading(unit, factorUnit) != null ||
  isConvertible(unit, factorUnit) ||
  listReadings(unit).some((name) => isConvertible(readUnit(name), factorUnit));

/** Returns the best factors, one of each series. */
function distinct(factors: readonly FactorRow[]): readonly FactorRow[] {
  const seen = new Map<string, FactorRow>();
  for (const factor of factors) {
    const { activity, detail, region, scope, category, unit } = factor;
    const name = [activity, detail, region, scope, category, unit].join("|");
    if (!seen.has(name)) seen.set(name, factor);
    if (seen.size === MAX_CANDIDATES) break;
  }
  return [...seen.values()];
}

/**
 * Returns the first factor if the search decides: it counts direct use in the region or `Global`, every word of the
 * text matches, and no factor of a different concept matches as well.
 */
function decide(
  { text, region }: ActivityQuery,
  ranked: readonly FoundFactor[],
  dictionary: Dictionary,
  concepts: Concepts,
): FactorRow | null {
  if (region === null) return null;
  const query = readQuery(text, (phrase) => concepts.find(phrase).length > 0);
  const terms = readTerms(query, concepts, dictionary);
  const others = query.parts.filter(({ kind }) => kind !== "word").length;
  const parts = others + new Set(terms.map(({ place }) => place)).size;
  const isWhole = ({ matched, ...factor }: FoundFactor) =>
    matched.length === parts &&
    [region, GLOBAL].includes(regionKeyOf(factor.region)) &&
    rankUse(factor) === 0;
  const [first] = ranked;
  if (!first || terms.length === 0 || !isWhole(first)) return null;
  const meaningsOf = (words: string) =>
    concepts
      .read(foldWords(words))
      .flatMap((term) => (term.concepts.length > 0 ? term.concepts : term.words));
  const asked = new Set(meaningsOf(text));
  // Meanings that the text shares with the name alone. A factor that matches by its category is a weaker match.
  const named = ({ activity, otherName }: FactorRow) =>
    meaningsOf(`${activity} ${otherName ?? ""}`).filter((meaning) => asked.has(meaning));
  const own = new Set(named(first));
  const isOther = (factor: FoundFactor) => {
    const meanings = named(factor);
    return isWhole(factor) && meanings.length > 0 && !meanings.some((one) => own.has(one));
  };
  return ranked.some(isOther) ? null : first;
}
