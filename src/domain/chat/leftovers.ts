import { findNamed, type Named, type Vocabulary } from "./names.js";
import type { OpenText, Phrase } from "./text.js";
import { isFiller, NEAR_GRAMMAR } from "./words.js";

/** A question being read for one subject. */
export interface Open<Previous> {
  readonly message: string;
  readonly text: OpenText;
  readonly vocabulary: Vocabulary;
  /** Full names that it contains. */
  readonly named: readonly Named[];
  /** The question that it continues, if that has the same subject. */
  readonly previous: Previous | null;
  readonly now: Date;
}

/** Reason why a question cannot be answered. Its message becomes the answer, with questions to ask instead. */
export class Unanswerable extends Error {
  readonly choices: readonly string[];
  constructor(message: string, choices: readonly string[] = []) {
    super(message);
    this.choices = choices;
  }
}

export const refuse = (reason: string, choices: readonly string[] = []): never => {
  throw new Unanswerable(reason, choices);
};

/** Takes every match of a pattern. Returns true if there was one. */
export function takeAll(text: OpenText, pattern: RegExp): boolean {
  let found = false;
  while (text.take(pattern)) found = true;
  return found;
}

/** Returns the message with a part replaced. */
export const replaced = (message: string, at: number, length: number, by: string): string =>
  `${message.slice(0, at)}${by}${message.slice(at + length)}`.replaceAll(/\s+/g, " ").trim();

/**
 * Returns everything of the given kinds that a question names, in its order, and passes other phrases to `orElse`.
 * Throws Unanswerable for a name of another kind, and, with questions to choose from, for a phrase that fits several.
 */
export function requireNames<Kind extends Named["kind"]>(
  { message, text, named, vocabulary }: Open<unknown>,
  kinds: readonly Kind[],
  orElse: (phrase: Phrase) => void,
): readonly (Named & { readonly kind: Kind })[] {
  const isWanted = (name: Named): name is Named & { readonly kind: Kind } =>
    (kinds as readonly string[]).includes(name.kind);
  const partly = text.phrases(isFiller).flatMap((phrase) => {
    const all = findNamed(phrase, vocabulary).filter(isWanted);
    if (all.length > 1) {
      const choices = all.slice(0, 6).map(({ kind, value, label }) => {
        const name = kind === "facility" ? value : label;
        return replaced(message, phrase.at, phrase.text.length, name);
      });
      return refuse(`"${phrase.text}" can mean several things. Which one?`, choices);
    }
    if (all.length === 0) orElse(phrase);
    return all;
  });
  const other = named.find((name) => !isWanted(name));
  if (other) refuse(`I can't answer this for "${other.label}" yet.`);
  const all = [...named.filter(isWanted), ...partly].toSorted((one, next) => one.at - next.at);
  return all.filter((one, index) => all.findIndex(({ value }) => value === one.value) === index);
}

/** Refuses a phrase that was not understood, so that no question is answered in part. */
export const refusePhrase = ({ text }: Phrase): never => refuse(notYet(text));

/** Says that there is no answer about some words. */
export const notYet = (...about: readonly string[]): string =>
  `I can't answer questions about ${listed(about.slice(0, 3).map((one) => `"${one.slice(0, 100)}"`))} yet.`;

/** Returns true if a phrase can be searched for in the texts of records. */
export const isSearchable = ({ words }: Phrase, isOperator: (word: string) => boolean): boolean =>
  words.length <= 4 &&
  words.some((word) => /\p{L}{3}/u.test(word)) &&
  words.every(
    (word) =>
      /^[\p{L}\p{N}][\p{L}\p{N}\p{M}'_.&/-]{0,60}$/u.test(word) &&
      !isOperator(word) &&
      !NEAR_GRAMMAR.test(word),
  );

/** Joins items: `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[], joint: "and" | "or" = "and"): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${joint} ${last}`;
}
