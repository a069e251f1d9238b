import type { Steps } from "../steps.js";
import { type OpenText, openText, type Phrase, wordsOf } from "./text.js";
import { word } from "./words.js";

/** The names of a facility. */
export interface FacilityName {
  readonly code: string;
  readonly name: string;
  readonly country: string | null;
}

/** The names in an organization's data that its questions may contain. */
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
  readonly names: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Words of its own names; any of them can identify it. Common words for a category only match as a whole. */
  readonly words: ReadonlySet<string>;
}

/** Words that do not distinguish one name from another, or that ask for a calculation. */
const GENERIC = new Set(
  wordsOf(`plant plants site sites facility facilities factory factories works office warehouse mill average mean median
  lowest highest total sum minimum maximum category instrument exchange credits credit price prices`),
);

const REGIONS = new Intl.DisplayNames("en", { type: "region" });
/** Common names of countries besides their English names in `Intl`. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  GB: ["UK", "Britain", "Great Britain", "England"],
  US: ["USA", "America", "the States"],
  NL: ["Holland"],
  AE: ["UAE", "Emirates"],
};
/** Common words for categories, which are often named as in the GHG Protocol. */
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

type Given = readonly [
  kind: Named["kind"],
  value: string,
  label: string,
  own: string[],
  usual?: string | undefined,
];

function namesIn({ facilities, categories }: Vocabulary): readonly Given[] {
  const countries = [...new Set(facilities.flatMap(({ country }) => country ?? []))];
  return [
    ...facilities.map(({ code, name }): Given => ["facility", code, `${name} (${code})`, [code, name]]),
    ...countries.map((value): Given => {
      const label = REGIONS.of(value) ?? value;
      return ["country", value, label, [label, ...(OTHER_NAMES[value] ?? [])]];
    }),
    ...categories.map((value): Given => {
      const [, usual] = OTHER_WORDS.find(([category]) => category.test(value)) ?? [];
      const label = value.replaceAll("_", " ");
      return ["category", value, label, [label, value], usual];
    }),
  ];
}

const toCandidate = ([kind, value, label, own, usual]: Given): Candidate => ({
  named: { kind, value, label },
  names: [...own, ...(usual?.split(", ") ?? [])].map((name) => ({ name, words: wordsOf(name) })),
  words: new Set(own.flatMap(wordsOf)),
});

const indexes = new WeakMap<Vocabulary, readonly Candidate[]>();

/** Lists everything that a vocabulary names, with a pause before each name. Its thousands of names take long. */
export function* indexNames(vocabulary: Vocabulary): Steps<void> {
  const candidates: Candidate[] = [];
  for (const given of namesIn(vocabulary)) {
    yield;
    candidates.push(toCandidate(given));
  }
  indexes.set(vocabulary, candidates);
}

/** Returns what `indexNames` has listed. */
function candidatesOf(vocabulary: Vocabulary): readonly Candidate[] {
  const known = indexes.get(vocabulary);
  if (!known) throw new Error("the vocabulary was not indexed");
  return known;
}

/** Maximum number of full names to find in a question, longest first. The answer uses only a few. */
const MAX_WHOLE_NAMES = 50;

/**
 * Takes the full names in a question, longest first. A name with another meaning in a question, such as `Q3` or `2025`,
 * counts only after a word such as "facility".
 */
export function takeWholeNames(
  text: OpenText,
  vocabulary: Vocabulary,
  isGrammar: (name: OpenText) => boolean,
): Named[] {
  const asked = ` ${text.words().join(" ")} `;
  const longestFirst = candidatesOf(vocabulary)
    .flatMap(({ named, names }) => names.map((name) => ({ named, ...name })))
    .filter(({ words }) => words.length > 0 && asked.includes(` ${words.join(" ")} `))
    .sort((one, other) => other.words.length - one.words.length)
    .slice(0, MAX_WHOLE_NAMES);
  const found = new Map<string, Named>();
  for (const { named, name, words } of longestFirst) {
    const before = isGrammar(openText(name)) ? "(?:facility|plant|site|category) " : "";
    const match = text.take(word(before + words.join("[^\\p{L}\\p{N}]+")));
    if (match) found.set(JSON.stringify(named), { ...named, at: match.index });
  }
  return [...found.values()];
}

/**
 * Returns everything whose name contains all words of a phrase, ignoring generic ones. Returns nothing if the rest has
 * no letter.
 */
export function findNamed({ words, at }: Phrase, vocabulary: Vocabulary): readonly Named[] {
  const wanted = new Set(words.flatMap(wordsOf).filter((word) => !GENERIC.has(word)));
  if (!/\p{L}/u.test([...wanted].join())) return [];
  return candidatesOf(vocabulary)
    .filter(({ words }) => [...wanted].every((word) => words.has(word) || words.has(singular(word))))
    .map(({ named }) => ({ ...named, at }));
}

const singular = (word: string): string => word.replace(/(?<=\p{L}{3})s$/u, "");
