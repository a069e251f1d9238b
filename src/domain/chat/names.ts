import { type OpenText, openText, type Phrase, wordsOf } from "./text.js";

/** A facility with the names people use for it. */
export interface FacilityName {
  readonly code: string;
  readonly name: string;
  readonly country: string | null;
}

/** Names that an organization's questions may contain. */
export interface Vocabulary {
  readonly facilities: readonly FacilityName[];
  readonly categories: readonly string[];
}

/** Something named in a question. */
export interface Named {
  readonly kind: "facility" | "category" | "country";
  readonly value: string;
  readonly label: string;
  /** Its position in the question. */
  readonly at: number;
}

interface Candidate {
  readonly named: Omit<Named, "at">;
  /** Its full names. */
  readonly names: readonly string[];
}

/** Words that do not distinguish one facility from another, or that ask for a calculation. */
const GENERIC = new Set(
  "plant plants site sites facility facilities factory factories works office warehouse mill average mean median lowest highest total sum minimum maximum category instrument exchange credits credit price prices".split(
    " ",
  ),
);

const REGIONS = new Intl.DisplayNames("en", { type: "region" });
/** Usual names of countries besides those that they have in English. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  GB: "UK, Britain, Great Britain, England",
  US: "USA, America, the States",
  NL: "Holland",
  AE: "UAE, Emirates",
};
/** Usual words for categories, which are often named as in the GHG Protocol. */
const OTHER_WORDS: readonly (readonly [category: RegExp, names: string])[] = [
  [/^purchased[_ ]electricity$|^electricity$/i, "electricity, power, grid electricity, electric power"],
  [/^mobile[_ ]combustion$/i, "vehicles, fleet, company cars, cars, driving, company vehicles, trucks"],
  [/^stationary[_ ]combustion$/i, "heating, boilers, generators, furnaces"],
  [/refrigerant|fugitive/i, "refrigerants, refrigerant leaks, cooling gases, leaks, fugitive emissions"],
  [/travel/i, "business trips, travel, travelling, traveling, trips"],
  [
    /freight|logistics|transport/i,
    "freight, logistics, shipping, shipments, deliveries, transport, transportation",
  ],
  [/waste/i, "waste, landfill, rubbish, garbage"],
  [/purchased[_ ]goods/i, "purchases, purchased goods, goods, materials, procurement, suppliers"],
  [/t_and_d|t&d|losses/i, "transmission losses, grid losses, t&d losses, transmission and distribution"],
];
const namesIn = (list = "") => (list === "" ? [] : list.split(", "));
const readable = (category: string) => category.replaceAll("_", " ");

function candidatesOf({ facilities, categories }: Vocabulary): Candidate[] {
  const countries = [...new Set(facilities.flatMap(({ country }) => country ?? []))];
  return [
    ...facilities.map(({ code, name }) => ({
      named: { kind: "facility" as const, value: code, label: `${name} (${code})` },
      names: [code, name],
    })),
    ...countries.map((value) => {
      const label = REGIONS.of(value) ?? value;
      return {
        named: { kind: "country" as const, value, label },
        names: [label, ...namesIn(OTHER_NAMES[value])],
      };
    }),
    ...categories.map((value) => {
      const [, words] = OTHER_WORDS.find(([category]) => category.test(value)) ?? [];
      const named = { kind: "category" as const, value, label: readable(value) };
      return { named, names: [readable(value), value, ...namesIn(words)] };
    }),
  ];
}

/** Index of the names of a vocabulary. */
interface NameIndex {
  /** Full names of the candidates, with their words. */
  readonly whole: readonly {
    readonly named: Candidate["named"];
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
    candidate.names.map((name, place) => {
      const words = wordsOf(name);
      // Usual words for a category count as a whole alone.
      for (const word of place < 2 ? words : []) {
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
  const found = new Map<string, Named>();
  for (const { named, name, words } of longestFirst) {
    const before = isGrammar(openText(name)) ? "(?:facility|plant|site|category) " : "";
    const match = text.take(wholeName(words, before));
    if (match) found.set(JSON.stringify(named), { ...named, at: match.index });
  }
  return [...found.values()];
}

/**
 * Returns everything whose name contains all words of a phrase, apart from generic ones. Returns nothing if none of
 * these words has a letter.
 */
export function findNamed({ words, at }: Phrase, vocabulary: Vocabulary): readonly Named[] {
  const wanted = words.flatMap(wordsOf).filter((word) => !GENERIC.has(word));
  if (!wanted.some((word) => /\p{L}/u.test(word))) return [];
  const { byWord } = indexNames(vocabulary);
  const having = (word: string) => byWord.get(word) ?? new Set<Candidate>();
  const hasWord = (candidate: Candidate, word: string) =>
    having(word).has(candidate) || having(singular(word)).has(candidate);
  const [first = "", ...others] = wanted.toSorted((one, other) => having(one).size - having(other).size);
  return [...new Set([...having(first), ...having(singular(first))])]
    .filter((candidate) => others.every((word) => hasWord(candidate, word)))
    .map(({ named }) => ({ ...named, at }));
}

const singular = (word: string): string => word.replace(/(?<=\p{L}{3})s$/u, "");
