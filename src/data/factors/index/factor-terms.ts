import { LRUCache } from "lru-cache";
import type { Concepts, Term } from "../../../domain/factor-search/concepts.js";
import { foldWords, splitWords } from "../../../domain/factor-search/fold-words.js";
import { isUsualWord } from "../../../domain/factor-search/usual-variant.js";
import { readUnit, type Unit } from "../../../domain/ghg/units.js";
import { regionCodeOf } from "../../../regions/regions.js";
import type { FactorRow } from "../factors.js";

/** Key to look up factors by: a concept, or a folded word. */
export type TermKey = `concept ${string}` | `word ${string}`;
export const conceptKey = (concept: string): TermKey => `concept ${concept}`;
export const wordKey = (word: string): TermKey => `word ${word}`;

/** The terms of a factor. */
export interface FactorTerms {
  /** Terms of its names and of the publisher's category (two levels), each up to a comma or parenthesis. */
  readonly main: ReadonlySet<TermKey>;
  /** Other terms of its names, those of its detail, category and source, and the single words of all of these. */
  readonly other: ReadonlySet<TermKey>;
  /** Keys of each term of its name that goes beyond the usual variant. */
  readonly further: readonly (readonly TermKey[])[];
}

const MAX_REGION_WORDS = 5;

/** Region codes by phrase. Most phrases have none. */
const regionCodes = new LRUCache<string, { readonly code: string | null }>({
  max: 20_000,
  memoMethod: (phrase) => ({ code: regionCodeOf(phrase) }),
});

/** Creates a function that returns a factor's terms. Caches the terms of each text, since factors share most texts. */
export function createTermReader(concepts: Concepts): (factor: FactorRow) => FactorTerms {
  const known = new Map<string, readonly Term[]>();
  const readTerms = (text: string, region: string): readonly Term[] => {
    const key = `${region}|${text}`;
    const terms = known.get(key) ?? concepts.read(foldWords(withoutRegion(text, region)));
    known.set(key, terms);
    return terms;
  };
  return ({ activity, otherName, detail, category, publisherCategory, region, source, unit }) => {
    const read = (text: string) => readTerms(text, region);
    const [kind = "", subject = ""] = (publisherCategory ?? (category.includes("_") ? "" : category)).split(
      ": ",
    );
    const names = [activity, otherName ?? "", kind, subject];
    const others = [...names, detail ?? "", category.replaceAll("_", " "), mainPartOf(source)].flatMap(read);
    const main = new Set(names.map(mainPartOf).flatMap(read).flatMap(keysOf));
    const parts = others.flatMap(({ words }) => words.map(wordKey));
    const other = new Set([...others.flatMap(keysOf), ...parts].filter((key) => !main.has(key)));
    return {
      main,
      other,
      further: read(activity)
        .filter((term) => saysMore(term, readUnit(unit)))
        .map(keysOf),
    };
  };
}

/** Returns a term's keys. The single words of a phrase are not keys, since each may mean something else. */
export const keysOf = ({ words, concepts }: Term): TermKey[] => [
  ...concepts.map(conceptKey),
  ...(words.length === 1 ? words.map(wordKey) : []),
];

const mainPartOf = (name: string): string => name.split(/[,(]/)[0] ?? "";

const saysMore = ({ words }: Term, unit: Unit): boolean =>
  !words.every((word) => isUsualWord(word, unit) || /^(19|20)\d\d$/.test(word) || word === "fy");

/** Removes the factor's region from a name. */
function withoutRegion(text: string, region: string): string {
  const { code } = regionCodes.memo(region);
  const words = splitWords(text);
  for (let size = Math.min(MAX_REGION_WORDS, words.length); size > 0; size -= 1) {
    const start = words.findIndex((_, place) => {
      const phrase = words.slice(place, place + size).join(" ");
      return (
        phrase === region || (code !== null && phrase.length > 1 && regionCodes.memo(phrase).code === code)
      );
    });
    if (start !== -1) return [...words.slice(0, start), ...words.slice(start + size)].join(" ");
  }
  return text;
}
