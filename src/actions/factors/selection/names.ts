import { LRUCache } from "lru-cache";
import type { FactorName } from "../../../data/factors/factors.js";
import type { Concepts } from "../../../domain/factor-search/concepts.js";
import { foldWords } from "../../../domain/factor-search/fold-words.js";
import { levelsOf, plainText } from "../../../domain/factor-search/selector-parts.js";
import { isUsualWord } from "../../../domain/factor-search/usual-variant.js";
import { regionCodeOf } from "../../../regions/regions.js";

/**
 * How an activity is understood, in this order: as a name, as a name without its region, as a word for what a name says, and
 * as a word for what the publisher's category says.
 */
export const TIERS = ["exact", "short", "word", "kind"] as const;
export type Tier = (typeof TIERS)[number];

/** What a selector's activity is compared with, by tier. */
export type ActivityNames = Readonly<Record<Tier, ReadonlySet<string>>> & {
  /** Number of terms of the name that say more than the usual variant. */
  readonly further: number;
};

/** Returns true if a tier understands an activity as a word for direct use in its usual variant. */
export const isWord = (tier: Tier): boolean => tier === "word" || tier === "kind";

/** A selector's activity, as it is compared. */
export interface WantedActivity {
  readonly name: string;
  /** Concepts that it is a word for; empty if the table of words does not have it. */
  readonly concepts: readonly string[];
}

/** No name is longer. */
const MOST_LETTERS = 200;

/** Reads a selector's activity. */
export function readActivity(activity: string, concepts: Concepts): WantedActivity {
  const isName = activity.length <= MOST_LETTERS;
  return { name: plainText(activity), concepts: isName ? concepts.find(activity) : [] };
}

/** Returns true if names answer to an activity in a tier. */
export const isNamed = (names: ActivityNames, { name, concepts }: WantedActivity, tier: Tier): boolean =>
  isWord(tier) ? concepts.some((concept) => names[tier].has(concept)) : names[tier].has(name);

/** Creates the reader of factors' names, which remembers those of 20,000 factors. */
export function createNameReader(concepts: Concepts): (factor: FactorName) => ActivityNames {
  const known = new LRUCache<string, ActivityNames, FactorName>({
    max: 20_000,
    memoMethod: (_key, _stale, { context }) => readNames(context, concepts),
  });
  return (factor) => {
    const { activity, otherName, region, publisherCategory } = factor;
    return known.memo(JSON.stringify([activity, otherName, region, publisherCategory]), { context: factor });
  };
}

function readNames(factor: FactorName, concepts: Concepts): ActivityNames {
  const { activity, otherName, publisherCategory } = factor;
  const names = otherName === null ? [activity] : [activity, otherName];
  const short = names.flatMap((name) => shortNamesOf(name, factor));
  return {
    exact: new Set(names.map(plainText)),
    short: new Set(short.map(plainText)),
    word: new Set([...names, ...short].flatMap((name) => conceptsOf(name, concepts))),
    kind: new Set(conceptsOf(levelsOf(publisherCategory ?? "")[1], concepts)),
    further: concepts
      .read(foldWords(activity))
      .filter(({ words }) => !words.every((word) => isUsualWord(word))).length,
  };
}

/** A name without its region: `Hotel stay, Germany`, and `Belgium` in the publisher's category `Hotel stay`. */
function shortNamesOf(name: string, { region, publisherCategory }: FactorName): string[] {
  const isRegion = (text: string) => text === region || (regionCodeOf(text) ?? "") === regionCodeOf(region);
  const comma = name.lastIndexOf(", ");
  if (comma > 0 && isRegion(name.slice(comma + 2))) return [name.slice(0, comma)];
  return publisherCategory !== null && isRegion(name) ? [levelsOf(publisherCategory)[1]] : [];
}

/** Concepts of a name up to a comma or a bracket. */
const conceptsOf = (name: string, concepts: Concepts): readonly string[] =>
  concepts.read(foldWords(name.split(/[,(]/)[0] ?? "")).flatMap((term) => term.concepts);
