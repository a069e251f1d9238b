import type { Dictionary } from "../../../data/factors/index/dictionary.js";
import { conceptKey, type TermKey, wordKey } from "../../../data/factors/index/factor-terms.js";
import type { Concepts, Term } from "../../../domain/factor-search/concepts.js";
import { foldWord, foldWords } from "../../../domain/factor-search/fold-words.js";
import type { Steps } from "../../../domain/steps.js";
import { mapInSteps, runAtOnce } from "../../../turns.js";
import type { SearchQuery } from "./read-query.js";

/** Levels of a match, best first. A match outside the main part of a factor's name adds 1. */
export const LEVELS = { whole: 0, prefix: 2, misspelt: 4 } as const;

/** One way to match a term. `level` is the best level at which a factor with this key can match. */
export interface Option {
  readonly key: TermKey;
  readonly level: number;
  readonly isSynonym: boolean;
}

/** A word or phrase of a query with all of its possible meanings. */
export interface QueryTerm {
  /** The term as the caller wrote it, in lower case. */
  readonly text: string;
  /** Index of its first word among the query parts. */
  readonly place: number;
  readonly options: readonly Option[];
}

/** Maximum number of corrected words. Correcting one takes up to a millisecond. */
const MAX_CORRECTIONS = 3;

interface TypedWord {
  readonly word: string;
  readonly text: string;
  readonly place: number;
  readonly isCorrected: boolean;
  readonly others: readonly string[];
}

/** Reads the words of a query as terms. If the table of words ignores all of them, each word becomes a term. */
export const readTerms = (...given: Parameters<typeof readTermsInSteps>): QueryTerm[] =>
  runAtOnce(readTermsInSteps(...given));

export function* readTermsInSteps(
  query: SearchQuery,
  concepts: Concepts,
  dictionary: Dictionary,
): Steps<QueryTerm[]> {
  let corrections = MAX_CORRECTIONS;
  const typedByPart = yield* mapInSteps(query.parts.entries(), ([place, part]) => {
    if (part.kind !== "word") return [];
    return foldToken(part.text, dictionary).map((word): TypedWord => {
      const isKnown = dictionary.has(word) || dictionary.listLonger(word).length > 0;
      const found = isKnown || corrections-- <= 0 ? [] : listCorrections(word, dictionary);
      const [best = word, ...others] = found;
      return { word: best, text: part.text.toLowerCase(), place, isCorrected: found.length > 0, others };
    });
  });
  const typed = typedByPart.flat();
  const words = typed.map(({ word }) => word);
  const read = concepts.read(words);
  const terms =
    read.length > 0
      ? read
      : words.map((word, start): Term => ({ words: [word], concepts: [], start, size: 1 }));
  const seen = new Set<string>();
  const found = yield* mapInSteps(terms, (term): QueryTerm | undefined => {
    const key = term.concepts.join("|") || term.words.join(" ");
    if (seen.has(key)) return undefined;
    seen.add(key);
    const own = typed.slice(term.start, term.start + term.size);
    const [first] = own;
    return (
      first && {
        text: [...new Set(own.map(({ text }) => text))].join(" "),
        place: first.place,
        options: listOptions(term, own, concepts, dictionary),
      }
    );
  });
  return found.filter((one) => one !== undefined);
}

/** Folds a token. `home-working` becomes `homeworking` if the dictionary has that word, and two words otherwise. */
function foldToken(token: string, dictionary: Dictionary): string[] {
  const joined = foldWord(token);
  return /[-‐‑]/.test(token) && dictionary.has(joined) ? [joined] : foldWords(token);
}

/** Lists corrections of a word, those with the same first letter first. */
const listCorrections = (word: string, dictionary: Dictionary): string[] =>
  dictionary
    .listCorrections(word)
    .toSorted((one, other) => Number(other[0] === word[0]) - Number(one[0] === word[0]));

function listOptions(
  { words, concepts: meant }: Term,
  typed: readonly TypedWord[],
  concepts: Concepts,
  dictionary: Dictionary,
): Option[] {
  const isCorrected = typed.some((word) => word.isCorrected);
  const level = isCorrected ? LEVELS.misspelt : LEVELS.whole;
  const [word, ...more] = words;
  const isPhrase = word === undefined || more.length > 0;
  const options = meant.map((concept) => ({ key: conceptKey(concept), level, isSynonym: !isPhrase }));
  if (isPhrase) return options;
  const optionsOf = (one: string, best: number): Option[] => [
    { key: wordKey(one), level: best, isSynonym: false },
    ...concepts.find(one).map((concept) => ({ key: conceptKey(concept), level: best, isSynonym: true })),
  ];
  const longer = (isCorrected ? [] : dictionary.listLonger(word)).flatMap((one) =>
    optionsOf(one, LEVELS.prefix),
  );
  const others = (typed[0]?.others ?? []).flatMap((one) => optionsOf(one, LEVELS.misspelt));
  return [{ key: wordKey(word), level, isSynonym: false }, ...options, ...longer, ...others];
}
