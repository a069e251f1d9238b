import { LRUCache } from "lru-cache";
import type { FactorName } from "../../../data/factors/factors.js";
import type { Concepts } from "../../../domain/factor-search/concepts.js";
import { foldWords } from "../../../domain/factor-search/fold-words.js";
import { levelsOf, plainText } from "../../../domain/factor-search/selector-parts.js";
import { isUsualWord } from "../../../domain/factor-search/usual-variant.js";
import { regionCodeOf } from "../../../regions/regions.js";

/**
 * Ways to read an activity, in order: as a name, as a name without its region, as a word for the meaning of a name, and
 * as a word for the meaning of the publisher's category.
 */
export const TIERS = ["exact", "short", "word", "kind"] as const;
export type Tier = (typeof TIERS)[number];

/** Names of a factor to compare with a selector's activity, by tier. */
export type ActivityNames = Readonly<Record<Tier, ReadonlySet<string>>> & {
  /** Number of terms in the name that do not belong to the usual variant. */
  readonly further: number;
};

/** Returns true if a tier reads an activity as a word that means direct use in the usual variant. */
export const isWordTier = (tier: Tier): boolean => tier === "word" || tier === "kind";

/** A selector's activity, prepared for comparison. */
export interface WantedActivity {
  readonly name: string;
  /** Concepts that the name means; empty if it is not in the table of words. */
  readonly concepts: readonly string[];
}

/** Maximum length of a name. */
const MAX_LETTERS = 200;

export function readActivity(activity: string, concepts: Concepts): WantedActivity {
  const isName = activity.length <= MAX_LETTERS;
  return { name: plainText(activity), concepts: isName ? concepts.find(activity) : [] };
}

/** Returns true if the names of a tier match an activity. */
export const isNamed = (names: ActivityNames, { name, concepts }: WantedActivity, tier: Tier): boolean =>
  isWordTier(tier) ? concepts.some((concept) => names[tier].has(concept)) : names[tier].has(name);

/** Creates a reader of factor names, which caches 20,000 of them. */
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

/**
 * Returns a name without its region: `Hotel stay` for `Hotel stay, Germany`, and also for `Belgium` in the publisher's
 * category `Hotel stay`.
 */
function shortNamesOf(name: string, { region, publisherCategory }: FactorName): string[] {
  const isRegion = (text: string) => text === region || (regionCodeOf(text) ?? "") === regionCodeOf(region);
  const comma = name.lastIndexOf(", ");
  if (comma > 0 && isRegion(name.slice(comma + 2))) return [name.slice(0, comma)];
  return publisherCategory !== null && isRegion(name) ? [levelsOf(publisherCategory)[1]] : [];
}

/** Returns the concepts of a name up to a comma or a bracket. */
const conceptsOf = (name: string, concepts: Concepts): readonly string[] =>
  concepts.read(foldWords(name.split(/[,(]/)[0] ?? "")).flatMap((term) => term.concepts);
