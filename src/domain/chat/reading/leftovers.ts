import { findNamed, type Named, type Vocabulary } from "../names.js";
import type { OpenText } from "../text.js";
import { isFiller, NEAR_GRAMMAR } from "../words.js";

/** A question being read for one subject. */
export interface Open<Previous> {
  readonly text: OpenText;
  readonly vocabulary: Vocabulary;
  /** Full names that it contains. */
  readonly named: readonly Named[];
  /** The question that it continues, if that has the same subject. */
  readonly previous: Previous | null;
  readonly goesOn: boolean;
  readonly now: Date;
}

/** Reason why a question cannot be answered. Its message becomes the answer. */
export class Unanswerable extends Error {}

export const refuse = (reason: string): never => {
  throw new Unanswerable(reason);
};

/** Words that a name may follow. */
const BEFORE_NAMES = new Set("of at for from in the our did does has have and".split(" "));

/** Takes every match of a pattern. Returns true if there was one. */
export function takeAll(text: OpenText, pattern: RegExp): boolean {
  let found = false;
  while (text.take(pattern)) found = true;
  return found;
}

/**
 * Returns everything of the given kinds that a question names. Throws Unanswerable if it names something that does not
 * exist or is of a different kind, or if it contains a word that was not understood: no question is answered in part.
 */
export function requireNames<Kind extends Named["kind"]>(
  { text, named, vocabulary, goesOn }: Open<unknown>,
  kinds: readonly Kind[],
  missing: (name: string) => string,
): readonly (Named & { readonly kind: Kind })[] {
  const isWanted = (name: Named): name is Named & { readonly kind: Kind } =>
    (kinds as readonly string[]).includes(name.kind);
  const phrases = text.phrases(isFiller);
  const partly = phrases.map((phrase) => {
    const all = findNamed(phrase, vocabulary).filter(isWanted);
    if (all.length === 1 && all[0]) return all[0];
    if (all.length > 1) {
      const choices = all.slice(0, 5).map(({ label }) => label);
      return refuse(`"${phrase.text}" can be ${listed(choices, "or")}. Say which one you mean.`);
    }
    const isName =
      /\p{L}/u.test(phrase.text) &&
      !phrase.words.every((word) => NEAR_GRAMMAR.test(word)) &&
      (BEFORE_NAMES.has(phrase.after) || (goesOn && phrases.length === 1));
    const shown = phrase.text.slice(0, 100);
    return refuse(
      isName
        ? missing(shown)
        : `I did not understand "${shown}", and I do not answer a question that I understand in part.`,
    );
  });
  const other = named.find((name) => !isWanted(name));
  if (other) refuse(`I cannot answer this for "${other.label}".`);
  const all = [...named.filter(isWanted), ...partly];
  return all.filter((one, index) => all.findIndex(({ value }) => value === one.value) === index);
}

/** Joins items: `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[], joint: "and" | "or" = "and"): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${joint} ${last}`;
}
