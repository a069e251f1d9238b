import { foldWords } from "./fold-words.js";

/** A line of the vocabulary: a concept and the words for it. Queries ignore words for a concept without a name. */
export interface ConceptWords {
  /** ` + ` joins concepts that apply together: `domestic + flight`. */
  readonly concept: string;
  readonly words: readonly string[];
}

/** A word or phrase with its concepts. */
export interface Term {
  /** Folded words of the phrase, or of one of several concepts that it joins. */
  readonly words: readonly string[];
  /** Alternative meanings; empty for a word that is not in the vocabulary. */
  readonly concepts: readonly string[];
  /** Index of the first word in the input. */
  readonly start: number;
  /** Number of words in the input. */
  readonly size: number;
}

export interface Concepts {
  /** Returns the alternative concepts of a word or phrase; empty if it is unknown, ignored, or joins concepts. */
  find(phrase: string): readonly string[];
  /** Reads folded words as terms, in order, each the longest known phrase. Leaves out words that queries ignore. */
  read(words: readonly string[]): readonly Term[];
  /** All folded words of the vocabulary. */
  readonly words: ReadonlySet<string>;
}

/** Folded concepts of a phrase. All of its parts apply, each with any one of the part's concepts. */
type Meaning = readonly (readonly string[])[];

const SEPARATOR = " ";
const keyOf = (words: readonly string[]) => words.join(SEPARATOR);

export function createConcepts(lines: readonly ConceptWords[]): Concepts {
  const meanings = new Map<string, Meaning>();
  let longest = 1;
  const add = (phrase: string, parts: readonly string[]) => {
    const words = foldWords(phrase);
    longest = Math.max(longest, words.length);
    const key = keyOf(words);
    const known = meanings.get(key);
    const isSimple = parts.length <= 1 && (known?.length ?? 1) === 1;
    const simple = [[...new Set([...(known?.[0] ?? []), ...parts])]];
    if (isSimple) meanings.set(key, parts.length === 0 ? [] : simple);
    else if (parts.length > 1)
      meanings.set(
        key,
        parts.map((part) => [part]),
      );
  };
  for (const { concept, words } of lines) {
    const parts = concept === "" ? [] : concept.split(" + ").map((part) => keyOf(foldWords(part)));
    if (parts.length === 1) add(concept, parts);
    for (const phrase of words) add(phrase, parts);
  }

  /** Finds the longest known phrase that starts at an index. */
  const phraseAt = (words: readonly string[], start: number) => {
    for (let size = Math.min(longest, words.length - start); size > 0; size -= 1) {
      const phrase = words.slice(start, start + size);
      const meaning = meanings.get(keyOf(phrase));
      if (meaning) return { phrase, meaning };
    }
    return { phrase: words.slice(start, start + 1), meaning: undefined };
  };

  return {
    find: (phrase) => {
      const meaning = meanings.get(keyOf(foldWords(phrase))) ?? [];
      return meaning.length === 1 ? (meaning[0] ?? []) : [];
    },
    read(words) {
      const terms: Term[] = [];
      for (let start = 0; start < words.length; ) {
        const { phrase, meaning } = phraseAt(words, start);
        if (!meaning) terms.push({ words: phrase, concepts: [], start, size: phrase.length });
        else
          for (const concepts of meaning)
            terms.push({
              words: meaning.length > 1 ? (concepts[0] ?? "").split(SEPARATOR) : phrase,
              concepts,
              start,
              size: phrase.length,
            });
        start += phrase.length;
      }
      return terms;
    },
    words: new Set([...meanings.keys()].flatMap((key) => key.split(SEPARATOR))),
  };
}
