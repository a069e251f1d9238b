import type { OpenText, Phrase } from "./text.js";
import { findNamed, type Named, type Vocabulary } from "./vocabulary.js";
import { isFiller, isOperator, NEAR_GRAMMAR, PHRASES } from "./words.js";

/** A question that is being read as one about a known subject. */
export interface OpenQuestion<Previous> {
  readonly message: string;
  readonly text: OpenText;
  readonly vocabulary: Vocabulary;
  /** Full names in the question. */
  readonly named: readonly Named[];
  /** The previous question, if this one follows up on it and has the same subject. */
  readonly previous: Previous | null;
  readonly now: Date;
}

/** Thrown if a question cannot be answered. The message becomes the answer; `choices` are questions to ask instead. */
export class Unanswerable extends Error {
  readonly choices: readonly string[];
  constructor(message: string, choices: readonly string[]) {
    super(message);
    this.choices = choices;
  }
}

export function refuse(reason: string, ...choices: readonly string[]): never {
  throw new Unanswerable(reason, choices);
}

/** Refuses a question unless a condition holds. */
export function requireThat(
  condition: unknown,
  reason: string,
  ...choices: readonly string[]
): asserts condition {
  if (!condition) refuse(reason, ...choices);
}

/** Writes the answer to a question with words that the chat does not understand. */
export const cannotAnswerAbout = (...about: readonly string[]): string =>
  `I can't answer questions about ${joinWords(about.slice(0, 3).map((one) => `"${one.slice(0, 100)}"`))} yet.`;

/** Takes all matches of a pattern. Returns true if there were any. */
export function takeAll(text: OpenText, pattern: RegExp): boolean {
  let found = false;
  while (text.take(pattern)) found = true;
  return found;
}

/** Takes all matches of the named phrases, in this order. Returns true for each phrase that matched. */
export const takeEach = <Name extends keyof typeof PHRASES>(text: OpenText, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, takeAll(text, PHRASES[name])])) as Record<Name, boolean>;

/** Returns the message with a part replaced. */
export const replaced = (message: string, at: number, length: number, by: string): string =>
  `${message.slice(0, at)}${by}${message.slice(at + length)}`.replaceAll(/\s+(?=\s|[?.!]|$)/g, "").trim();

/**
 * Returns the names in a question, in order, and the remaining phrases, which may occur in the data. Refuses a phrase
 * that cannot occur there, more than `max` phrases, and a phrase that fits several names (with questions to choose
 * from).
 */
export function readNames({ message, text, named, vocabulary }: OpenQuestion<unknown>, max: number) {
  const others: Phrase[] = [];
  const partly = text.phrases(isFiller).flatMap((phrase) => {
    const all = findNamed(phrase, vocabulary);
    if (all.length === 0) others.push(phrase);
    const choices = all
      .slice(0, 6)
      .map(({ kind, value, label }) =>
        replaced(message, phrase.at, phrase.text.length, kind === "facility" ? value : label),
      );
    requireThat(
      all.length < 2,
      `"${phrase.text}" could mean several things. Which one did you mean?`,
      ...choices,
    );
    return all;
  });
  const all = [...named, ...partly].toSorted((one, next) => one.at - next.at);
  const names = all.filter((one, index) => all.findIndex(({ value }) => value === one.value) === index);
  const isKnown = others.length <= max && others.every(isSearchable);
  requireThat(isKnown, cannotAnswerAbout(...others.map((one) => one.text)));
  return { names, phrases: others };
}

/** Returns true if records can be searched for a phrase. */
const isSearchable = ({ words }: Phrase): boolean =>
  words.length <= 4 &&
  words.some((word) => /\p{L}{3}/u.test(word)) &&
  words.every((word) => /^[\p{L}\p{N}][\p{L}\p{N}\p{M}'_.&/-]{0,60}$/u.test(word) && !isOperator(word)) &&
  !words.every((word) => NEAR_GRAMMAR.test(word));

const LIST = new Intl.ListFormat("en-GB");

/** Joins items: `a`, `a and b`, `a, b and c`. */
export const joinWords = (items: readonly string[]): string => LIST.format(items);
