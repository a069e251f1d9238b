import MiniSearch from "minisearch";
import { isCode } from "../../../domain/factor-search/fold-words.js";

/** Words that a search for factors can match. */
export interface Dictionary {
  has(word: string): boolean;
  /** Lists longer words that begin with this word; none for a code or a word of fewer than 4 letters. */
  listLonger(word: string): readonly string[];
  /** Lists likely corrections of a misspelled word: only those with the fewest errors. */
  listCorrections(word: string): readonly string[];
}

const MIN_LETTERS = 4;
const SHORT_WORD = 5;
const MIN_LETTERS_FOR_TWO_ERRORS = 8;
/** Maximum number of completions or corrections of a word. */
const MAX_WORDS = 20;
/** Longer search words match only exactly, because the search for similar words slows down with their length. */
const MAX_LETTERS = 40;

/** Creates a dictionary of folded words, in chunks that do not block other requests. */
export async function createDictionary(words: Iterable<string>): Promise<Dictionary> {
  const known = new Set(words);
  const index = new MiniSearch<{ word: string }>({
    idField: "word",
    fields: ["word"],
    tokenize: (text) => [text],
    processTerm: (term) => term,
  });
  await index.addAllAsync(
    [...known].map((word) => ({ word })),
    { chunkSize: 200 },
  );
  const find = (word: string, options: { prefix?: boolean; fuzzy?: number }): string[] =>
    index
      .search(word, options)
      .map(({ id }) => id)
      .filter((id) => id !== word);
  const isReadable = (word: string) => word.length >= MIN_LETTERS && word.length <= MAX_LETTERS;

  return {
    has: (word) => known.has(word),
    listLonger: (word) =>
      isReadable(word) && !isCode(word) ? find(word, { prefix: true }).slice(0, MAX_WORDS) : [],
    listCorrections(word) {
      if (!isReadable(word) || /\d/.test(word)) return [];
      const swapped = listSwaps(word).filter((one) => known.has(one));
      const close = [...swapped, ...find(word, { fuzzy: 1 }).filter((one) => isLikely(word, one))];
      if (close.length > 0 || word.length < MIN_LETTERS_FOR_TWO_ERRORS) return close.slice(0, MAX_WORDS);
      return find(word, { fuzzy: 2 })
        .filter((one) => isLikely(word, one))
        .slice(0, MAX_WORDS);
    },
  };
}

/**
 * Returns true if a correction is plausible: it has no digits, and a short word keeps its first letter, which people
 * rarely mistype.
 */
const isLikely = (word: string, correction: string): boolean =>
  !/\d/.test(correction) && (word.length > SHORT_WORD || word[0] === correction[0]);

/** Lists the variants of a word with two adjacent letters swapped, which counts as one error. */
const listSwaps = (word: string): string[] =>
  Array.from(
    { length: word.length - 1 },
    (_, place) => word.slice(0, place) + word[place + 1] + word[place] + word.slice(place + 2),
  );
