import type { FactorRow } from "../../../data/factors/factors.js";
import type { Dictionary } from "../../../data/factors/index/dictionary.js";
import type { FactorIndex } from "../../../data/factors/index/factor-index.js";
import type { Concepts } from "../../../domain/factor-search/concepts.js";
import type { Steps } from "../../../domain/steps.js";
import { mapInSteps, runAtOnce } from "../../../turns.js";
import { flagNamed, MISSED, matchTerm, type TermMatch } from "./match.js";
import { type QueryTerm, readTermsInSteps } from "./query-terms.js";
import {
  type Candidate,
  compareEqual,
  isAskedUnit,
  rankOf,
  rankWords,
  type SearchCriteria,
} from "./ranking.js";
import { type QueryPart, readQuery, type SearchQuery } from "./read-query.js";

/** Maximum length of a ranked list. */
export const MAX_RANKED = 500;

/** Maximum number of matched query parts in a result. */
export const MAX_MATCHED = 10;

/** A found factor. */
export interface FoundFactor extends FactorRow {
  /** Query parts that the factor matches: words as written, `GB`, `2025`, `kWh`, `scope_2`. */
  readonly matched: readonly string[];
}

/** A factor, with the matched query parts if it comes from a search. */
export type FactorNode = FactorRow & Partial<Pick<FoundFactor, "matched">>;

export interface FactorSearch {
  readonly text: string;
  readonly filter: (factor: FoundIn) => boolean;
  /** Year of the activity. */
  readonly year: number;
  readonly preferRegion: string | null;
}

type FoundIn = FactorIndex["factors"][number];

export interface Ranking {
  /** Number of matching factors. */
  readonly count: number;
  /** Number of ranked factors. */
  readonly length: number;
  /** Returns the factors from `start` to before `end`, best first. */
  slice(start: number, end: number): FoundFactor[];
}

/** Ranks the factors of several indexes for a query. */
export const rankFactors = (...given: Parameters<typeof rankInSteps>): Ranking =>
  runAtOnce(rankInSteps(...given));

export function* rankInSteps(
  indexes: readonly FactorIndex[],
  concepts: Concepts,
  search: FactorSearch,
): Steps<Ranking> {
  const dictionary = combineDictionaries(indexes);
  const query = readQuery(search.text, (phrase) => concepts.find(phrase).length > 0);
  const terms = yield* readTermsInSteps(query, concepts, dictionary);
  const criteria = readCriteria(query, search);
  const ids = query.parts.flatMap((part) => (part.kind === "id" ? part.id : []));
  const found: FoundCandidate[] = [];
  for (const index of indexes) {
    for (const one of yield* listCandidates(index, terms, ids, search.filter)) found.push(one);
  }
  yield;
  const inRegion = keepRegion(found, criteria);
  const ranked = yield* takeBest(keepLikely(inRegion), criteria);
  return {
    count: inRegion.length,
    length: ranked.length,
    slice: (start, end) =>
      ranked.slice(start, end).map(({ factor, matches, place }) => ({
        ...factor.row,
        matched: listMatched(query.parts, terms, listSatisfied(matches, place), factor),
      })),
  };
}

/** Returns the words of several indexes as one dictionary. */
export const combineDictionaries = (indexes: readonly Pick<FactorIndex, "dictionary">[]): Dictionary => ({
  has: (word) => indexes.some(({ dictionary }) => dictionary.has(word)),
  listLonger: (word) => indexes.flatMap(({ dictionary }) => dictionary.listLonger(word)),
  listCorrections: (word) => indexes.flatMap(({ dictionary }) => dictionary.listCorrections(word)),
});

/** Removes candidates that rank too low for the list by their words alone. */
function keepLikely(candidates: readonly FoundCandidate[]): readonly FoundCandidate[] {
  if (candidates.length <= MAX_RANKED) return candidates;
  const counts: number[] = [];
  for (const { words } of candidates) counts[words] = (counts[words] ?? 0) + 1;
  let total = 0;
  const worst = counts.findIndex((count = 0) => {
    total += count;
    return total >= MAX_RANKED;
  });
  return candidates.filter(({ words }) => words <= worst);
}

/** Returns the best candidates, sorted. Leaves the rest unsorted, because a query may match every factor. */
function* takeBest(candidates: readonly FoundCandidate[], criteria: SearchCriteria): Steps<FoundCandidate[]> {
  const ranks = new Float64Array(candidates.length);
  for (let place = 0; place < ranks.length; place += 1) {
    yield;
    ranks[place] = rankOf(candidates[place] as FoundCandidate, criteria);
  }
  yield;
  const worst = ranks.toSorted()[MAX_RANKED - 1] ?? Number.POSITIVE_INFINITY;
  const best: { readonly candidate: FoundCandidate; readonly rank: number }[] = [];
  for (let place = 0; place < ranks.length; place += 1) {
    const rank = ranks[place] as number;
    if (rank <= worst) best.push({ candidate: candidates[place] as FoundCandidate, rank });
  }
  return best
    .sort(
      (one, other) =>
        one.rank - other.rank || compareEqual(one.candidate.factor, other.candidate.factor, criteria),
    )
    .slice(0, MAX_RANKED)
    .map(({ candidate }) => candidate);
}

interface FoundCandidate extends Candidate {
  /** Rank by the query's words alone. */
  readonly words: number;
  readonly matches: readonly TermMatch[];
  readonly place: number;
}

/**
 * Lists the factors that match at least one term, or all factors without terms. For a publisher's id, lists the factors
 * with that id.
 */
function* listCandidates(
  index: FactorIndex,
  terms: readonly QueryTerm[],
  ids: readonly string[],
  filter: FactorSearch["filter"],
): Steps<FoundCandidate[]> {
  const matches = yield* mapInSteps(terms, (term) => matchTerm(index, term));
  const named = flagNamed(index, terms);
  const places =
    ids.length > 0 ? ids.flatMap((id) => index.byPublisherId.get(id) ?? []) : index.factors.keys();
  const maxMissed = ids.length > 0 ? terms.length : Math.max(terms.length - 1, 0);
  const found: FoundCandidate[] = [];
  for (const place of places) {
    yield;
    let [missed, level, synonyms] = [0, 0, 0];
    for (const match of matches) {
      const reached = match.levels[place] ?? MISSED;
      if (reached === MISSED) missed += 1;
      else {
        level += reached;
        synonyms += match.synonyms[place] ?? 0;
      }
    }
    const factor = index.factors[place];
    if (!factor || missed > maxMissed || !filter(factor)) continue;
    found.push({ factor, named, words: rankWords(missed, level), missed, level, synonyms, matches, place });
  }
  return found;
}

const listSatisfied = (matches: readonly TermMatch[], place: number): number[] =>
  matches.flatMap(({ levels }, term) => (levels[place] === MISSED ? [] : term));

/** Keeps the factors of the query's regions, unless a factor of another region matches more words. */
function keepRegion<One extends Candidate>(
  candidates: readonly One[],
  { regions }: SearchCriteria,
): readonly One[] {
  if (regions.length === 0) return candidates;
  const fewest = candidates.reduce((min, { missed }) => Math.min(min, missed), MISSED);
  const inRegion = candidates.filter(({ factor }) => regions.includes(factor.regionKey));
  return inRegion.some(({ missed }) => missed === fewest) ? inRegion : candidates;
}

function readCriteria({ parts }: SearchQuery, { year, preferRegion }: FactorSearch): SearchCriteria {
  const financial = parts.find((part) => part.kind === "financial year");
  const published = parts.find((part) => part.kind === "year");
  return {
    scopes: parts.flatMap((part) => (part.kind === "scope" ? part.scope : [])),
    units: parts.flatMap((part) => (part.kind === "unit" ? part.units : [])),
    regions: parts.flatMap((part) => (part.kind === "region" ? part.code : [])),
    preferRegion,
    year: published?.year ?? financial?.year ?? year,
    financialYear: financial?.text ?? null,
  };
}

/** Lists the query parts that a factor matches, in their order. */
function listMatched(
  parts: readonly QueryPart[],
  terms: readonly QueryTerm[],
  satisfied: readonly number[],
  factor: FoundIn,
): string[] {
  const texts = new Map(satisfied.map((term) => [terms[term]?.place, terms[term]?.text] as const));
  return parts
    .flatMap((part, place) => nameOfMatch(part, texts.get(place), factor) ?? [])
    .slice(0, MAX_MATCHED);
}

/** Returns the name of a query part if the factor matches it. `text` is the matched term that starts at a word. */
function nameOfMatch(
  part: QueryPart,
  text: string | undefined,
  { row, unit, regionKey }: FoundIn,
): string | undefined {
  if (part.kind === "word") return text;
  if (part.kind === "id") return row.sourceFactorId ?? undefined;
  if (part.kind === "year") return row.sourceYear === part.year ? String(part.year) : undefined;
  if (part.kind === "financial year") return row.detail?.includes(part.text) ? part.text : undefined;
  if (part.kind === "scope") return row.scope === part.scope ? part.scope : undefined;
  if (part.kind === "region") return regionKey === part.code ? part.code : undefined;
  return part.units.some((asked) => isAskedUnit(unit, asked)) ? part.name : undefined;
}
