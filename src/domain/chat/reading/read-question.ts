import { findDefinition } from "../definitions.js";
import { EXAMPLES } from "../examples.js";
import { takeScopes } from "../intents.js";
import { takeWholeNames, type Vocabulary } from "../names.js";
import { takePeriods } from "../periods.js";
import type { ChatModule, Question, Reading } from "../question.js";
import { type OpenText, openText } from "../text.js";
import * as words from "../words.js";
import { type Open, refuse, takeAll, Unanswerable } from "./leftovers.js";
import { readCompliance, takeFrameworks } from "./read-compliance.js";
import { readEmissions } from "./read-emissions.js";
import { readCredits, readMarket } from "./read-markets.js";

export interface Asked {
  readonly message: string;
  /** Default module for a question that does not name one. */
  readonly module: ChatModule;
  readonly vocabulary: Vocabulary;
  /** The conversation's previous question. */
  readonly previous: Question | null;
  readonly now: Date;
}

type Subject = Question["subject"];
type AboutSubject<Name extends Subject> = Extract<Question, { subject: Name }>;

/**
 * Reads a question in plain words, in full or not at all: every word is either known or part of one of the
 * organization's names. Otherwise the reading says what was not understood.
 */
export function readQuestion(asked: Asked): Reading {
  const definition = findDefinition(asked.message);
  if (definition) return { question: { subject: "terms", intent: "definition", definition } };
  try {
    return { question: read(asked) };
  } catch (error) {
    if (!(error instanceof Unanswerable)) throw error;
    return { fault: error.message || notUnderstood(asked.module) };
  }
}

const notUnderstood = (module: ChatModule) =>
  `I did not understand the question. I can answer questions such as "${EXAMPLES[module][0]}"`;

function read({ message, module, vocabulary, previous, now }: Asked): Question {
  const text = openText(message);
  if (text.take(words.FACTORS)) return readFactor(text);
  const goesOn = previous !== null && text.take(words.GOES_ON) !== null;
  const named = takeWholeNames(text, vocabulary, (name) => isGrammar(name, now));
  takeAll(text, words.COURTESIES);
  const hasEmissionNames = named.some(({ kind }) => kind === "facility" || kind === "category");
  const subject = findSubject(text, hasEmissionNames) ?? (goesOn ? previous.subject : module);
  const openFor = <Name extends Subject>(name: Name): Open<AboutSubject<Name>> => ({
    text,
    vocabulary,
    named,
    goesOn,
    now,
    previous: goesOn && previous.subject === name ? (previous as AboutSubject<Name>) : null,
  });
  if (subject === "credits") return readCredits(openFor(subject));
  if (subject === "market") return readMarket(openFor(subject));
  if (subject === "compliance") return readCompliance(openFor(subject));
  return readEmissions(openFor("emissions"));
}

/** Returns the subject that a question names; undefined if it does not name one. */
function findSubject(
  text: OpenText,
  hasEmissionNames: boolean,
): Exclude<Subject, "terms" | "factors"> | undefined {
  const isPrice = text.has(words.PRICES);
  const hasCredits = text.has(words.CREDITS) || text.has(words.word("retired?|retirements?"));
  const hasFramework = words.FRAMEWORK_PATTERNS.some(([, pattern]) => text.has(pattern));
  const found = [
    ...(isPrice ? (["market"] as const) : hasCredits ? (["credits"] as const) : []),
    ...([words.DEADLINES, words.OVERDUE, words.STATUS].some((pattern) => text.has(pattern)) ||
    (hasFramework && !isPrice)
      ? (["compliance"] as const)
      : []),
    ...(text.has(words.EMISSIONS) || text.has(words.word("scopes?")) || hasEmissionNames
      ? (["emissions"] as const)
      : []),
  ];
  if (found.length > 1)
    refuse("I can answer one thing at a time. Ask about emissions, credits, prices or deadlines apart.");
  return found[0];
}

/** Words of a question about factors that do not name an activity. */
const OF_NO_ACTIVITY = /^(?:used|use|value|kg|per|by|latest|which|for|with|using)$/;

function readFactor(text: OpenText): Question {
  takeAll(text, words.COURTESIES);
  const phrases = text.phrases((word) => words.isFiller(word) || OF_NO_ACTIVITY.test(word));
  const search = phrases
    .map(({ words }) => words.join(" "))
    .join(" ")
    .slice(0, 200);
  if (search === "") refuse('Which activity? Ask for "the emission factor of diesel", for example.');
  return { subject: "factors", intent: "factor", search };
}

/** Returns true if a name could also be words of a question, such as `Q3` or `Total`, or contains no letter. */
function isGrammar(name: OpenText, now: Date): boolean {
  if (!name.has(/\p{L}/u)) return true;
  takePeriods(name, now, false);
  takeScopes(name);
  takeFrameworks(name);
  for (const pattern of words.GRAMMAR) takeAll(name, pattern);
  return name.phrases((word) => words.isFiller(word) || words.NEAR_GRAMMAR.test(word)).length === 0;
}
