import { type OpenText, openText, type Phrase, wordsOf } from "./text.js";

/** A facility with the names people use for it. */
export interface FacilityName {
  readonly code: string;
  readonly name: string;
}

/** Names that an organization's questions may contain. */
export interface Vocabulary {
  readonly facilities: readonly FacilityName[];
  /** False if `facilities` lists only some of the organization's facilities. */
  readonly hasAllFacilities: boolean;
  readonly categories: readonly string[];
  readonly creditTypes: readonly string[];
  readonly instruments: readonly { readonly creditType: string; readonly exchange: string }[];
}

/** Something named in a question. */
export type Named =
  | { readonly kind: "facility"; readonly value: string; readonly label: string }
  | { readonly kind: "category" | "creditType" | "exchange"; readonly value: string; readonly label: string };

interface Candidate {
  readonly named: Named;
  /** Its full names. */
  readonly names: readonly string[];
}

/** Words that do not distinguish one facility from another, or that ask for a calculation. */
const GENERIC = new Set(
  "plant plants site sites facility facilities factory factories works office warehouse mill average mean median lowest highest total sum minimum maximum category instrument exchange credits credit price prices".split(
    " ",
  ),
);

function candidatesOf({ facilities, categories, creditTypes, instruments }: Vocabulary): Candidate[] {
  const plain = (kind: "category" | "creditType" | "exchange", values: readonly string[]) =>
    [...new Set(values)].map((value) => ({ named: { kind, value, label: value }, names: [value] }));
  return [
    ...facilities.map(({ code, name }) => ({
      named: { kind: "facility" as const, value: code, label: `${name} (${code})` },
      names: [code, name],
    })),
    ...plain("category", categories),
    ...plain("creditType", [...creditTypes, ...instruments.map(({ creditType }) => creditType)]),
    ...plain(
      "exchange",
      instruments.map(({ exchange }) => exchange),
    ),
  ];
}

/** Index of the names of a vocabulary. */
interface NameIndex {
  /** Full names of the candidates, with their words. */
  readonly whole: readonly {
    readonly named: Named;
    readonly name: string;
    readonly words: readonly string[];
  }[];
  /** Candidates by each word of their names, in their order. */
  readonly byWord: ReadonlyMap<string, ReadonlySet<Candidate>>;
}

const indexes = new WeakMap<Vocabulary, NameIndex>();

/** Indexes the names of a vocabulary, and remembers the index, because thousands of names take some time. */
export function indexNames(vocabulary: Vocabulary): NameIndex {
  const known = indexes.get(vocabulary);
  if (known) return known;
  const byWord = new Map<string, Set<Candidate>>();
  const whole = candidatesOf(vocabulary).flatMap((candidate) =>
    candidate.names.map((name) => {
      const words = wordsOf(name);
      for (const word of words) {
        const candidates = byWord.get(word) ?? new Set();
        byWord.set(word, candidates.add(candidate));
      }
      return { named: candidate.named, name, words };
    }),
  );
  const index = { whole, byWord };
  indexes.set(vocabulary, index);
  return index;
}

/** Returns a pattern for a full name: its words, separated by anything but letters and digits. */
const wholeName = (words: readonly string[], before = "") =>
  new RegExp(`(?<![\\p{L}\\p{N}])${before}${words.join("[^\\p{L}\\p{N}]+")}(?![\\p{L}\\p{N}])`, "u");

/** Maximum number of full names to find in a question, longest first. Its answer uses only a few. */
const MOST_WHOLE_NAMES = 50;

/**
 * Takes the full names in a question, longest first. A name that the grammar could read differently, such as `Q3` or
 * `2025`, counts only after a word such as "facility".
 */
export function takeWholeNames(
  text: OpenText,
  vocabulary: Vocabulary,
  isGrammar: (name: OpenText) => boolean,
): Named[] {
  const asked = ` ${text.words().join(" ")} `;
  const longestFirst = indexNames(vocabulary)
    .whole.filter(({ words }) => words.length > 0 && asked.includes(` ${words.join(" ")} `))
    .sort((one, other) => other.words.length - one.words.length)
    .slice(0, MOST_WHOLE_NAMES);
  const found = new Map<string, { named: Named; at: number }>();
  for (const { named, name, words } of longestFirst) {
    const before = isGrammar(openText(name)) ? "(?:facility|plant|site|category) " : "";
    const match = text.take(wholeName(words, before));
    if (match) found.set(JSON.stringify(named), { named, at: match.index });
  }
  return [...found.values()].sort((one, other) => one.at - other.at).map(({ named }) => named);
}

/**
 * Returns everything whose name contains all words of a phrase, apart from generic ones. Returns nothing if none of
 * these words has a letter.
 */
export function findNamed({ words }: Phrase, vocabulary: Vocabulary): readonly Named[] {
  const wanted = words.flatMap(wordsOf).filter((word) => !GENERIC.has(word));
  if (!wanted.some((word) => /\p{L}/u.test(word))) return [];
  const { byWord } = indexNames(vocabulary);
  const having = (word: string) => byWord.get(word) ?? new Set<Candidate>();
  const hasWord = (candidate: Candidate, word: string) =>
    having(word).has(candidate) || having(singular(word)).has(candidate);
  const [first = "", ...others] = wanted.toSorted((one, other) => having(one).size - having(other).size);
  return [...new Set([...having(first), ...having(singular(first))])]
    .filter((candidate) => others.every((word) => hasWord(candidate, word)))
    .map(({ named }) => named);
}

const singular = (word: string): string => word.replace(/(?<=\p{L}{3})s$/u, "");
