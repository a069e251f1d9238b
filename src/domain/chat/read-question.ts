import { findDefinition } from "./definitions.js";
import { EXAMPLES } from "./examples.js";
import { type OpenQuestion, refuse, requireThat, takeAll, type Unanswerable } from "./open-question.js";
import { takePeriods } from "./periods.js";
import { CHAT_MODULES, type ChatModule, type Question } from "./question.js";
import { readEmissions, takeScopes } from "./read-emissions.js";
import { readCompliance, readCredits, readMarket, takeFrameworks } from "./read-others.js";
import { type OpenText, openText } from "./text.js";
import { takeWholeNames, type Vocabulary } from "./vocabulary.js";
import * as words from "./words.js";
import { PHRASES } from "./words.js";

export interface QuestionInput {
  readonly message: string;
  /** Module to assume for a question that does not name one. */
  readonly module: ChatModule;
  readonly vocabulary: Vocabulary;
  /** The conversation's previous question. */
  readonly previous: Question | null;
  readonly now: Date;
}

type AboutSubject<Name extends Question["subject"]> = Extract<Question, { subject: Name }>;

const GREETING =
  /^\W*(?:(?:hi|hello|hey|help|thanks|thank you|ok|okay|good (?:morning|afternoon|evening)|there|please|me)\W*)+$|what (?:else )?can (?:you|i) (?:do|answer|ask)|who are you|how (?:do you|does this) work/i;

/** Sentences that tell users what they can ask, by module. */
const ABILITIES: Readonly<Record<ChatModule, string>> = {
  emissions:
    "I can break emissions down by scope, facility, category or country, compare periods and find unusual months — try one of these:",
  compliance: "I can list your deadlines and the status of your frameworks — try one of these:",
  credits: "I can count available, sold and retired credits by type — try one of these:",
  market: "I can show the latest prices and price forecasts — try one of these:",
};

/** Returns the text and follow-ups of an answer to a question that cannot be answered. */
export const declined = (module: ChatModule, { message, choices }: Unanswerable) =>
  choices.length > 0
    ? { text: message, followUps: choices }
    : { text: [message, ABILITIES[module]].filter(Boolean).join(" "), followUps: EXAMPLES[module] };

/** Replaces `US` with `USA`. Capitals, or "in the", distinguish the country from the pronoun. */
const withCountries = (message: string): string =>
  message
    .replace(/\bU\.?S\.?(?=\W|$)/g, "USA")
    .replace(/\b(in|of|from|for|by) the us\b(?!')/gi, "$1 the USA");

const FACILITIES = new RegExp(
  `^\\W*(?:how many|number of|count|which|what|list|show(?: me)?)(?: are)?(?: all)?(?: of)?(?: our| the| my)? (?:${words.PART_WORDS.facility})(?: do we (?:have|run|operate|own)| are there| have we| we have| are ours)?\\W*$`,
  "i",
);
const REFERENCE =
  /(?:(?:with (?:the )?)?(?:reference|ref|invoice|record)(?: number| no\.?)? |(?<![\p{L}\p{N}_/-]))(?!\d{4}-\d\d)(?=\S*\d)(\p{L}[\p{L}\p{N}]*(?:[-_/][\p{L}\p{N}_]+){2,}|(?<=(?:reference|ref|invoice|record)(?: number| no\.?)? )[\p{L}\p{N}][\p{L}\p{N}._/-]*)/u;

/** Takes a reference of records, or a category that looks like one; null without either. */
function takeReference(text: OpenText, { categories }: Vocabulary) {
  const match = text.has(REFERENCE) ? text.take(REFERENCE) : null;
  const value = match?.[1];
  if (!match || value === undefined) return null;
  const kind = categories.includes(value) ? ("category" as const) : ("text" as const);
  return { kind, value, label: value, at: match.index };
}

/**
 * Reads a question in plain English. The few unknown words it may have become a search, such as in records. Throws
 * Unanswerable if the question cannot be read, usually with the words that were not understood.
 */
export function readQuestion({ message: given, module, vocabulary, previous, now }: QuestionInput): Question {
  const definition = findDefinition(given);
  if (definition) return { subject: "terms", definition };
  if (GREETING.test(given)) refuse("");
  const message = withCountries(given);
  const lower = message.toLowerCase();
  requireThat(
    !words.ADVICE.test(lower),
    "I can't give advice yet, but I can show where your emissions come from:",
    "What are our biggest sources?",
    "Why did emissions change this year?",
  );
  requireThat(
    module !== "emissions" || !PHRASES.targets.test(lower),
    "I can't answer questions about your targets yet, but I can compare periods and forecast emissions:",
    "Compare this year with last year",
    "What is the forecast for the next 3 months?",
  );
  if (FACILITIES.test(message)) return { subject: "facilities" };
  const text = openText(message);
  if (text.take(PHRASES.factors)) return readFactor(text);
  const isFollowUp = previous !== null && text.take(words.CONTINUES) !== null;
  const reference = takeReference(text, vocabulary);
  const named = takeWholeNames(text, vocabulary, (name) => isGrammar(name, now));
  takeAll(text, PHRASES.courtesies);
  const subject =
    findSubject(text, reference !== null || named.length > 0) ?? (isFollowUp ? previous.subject : module);
  const openFor = <Name extends Question["subject"]>(name: Name): OpenQuestion<AboutSubject<Name>> => ({
    message,
    text,
    vocabulary,
    named,
    now,
    previous: isFollowUp && previous.subject === name ? (previous as AboutSubject<Name>) : null,
  });
  if (subject === "credits") return readCredits(openFor(subject));
  if (subject === "market") return readMarket(openFor(subject));
  if (subject === "compliance") return readCompliance(openFor(subject));
  return readEmissions(openFor("emissions"), reference);
}

/** Returns the subject that a question names; undefined if it does not name one. Refuses several. */
function findSubject(text: OpenText, hasEmissionNames: boolean): ChatModule | undefined {
  const { prices, credits, deadlines, overdue, status, emissions } = PHRASES;
  const has = (...patterns: readonly RegExp[]) => patterns.some((pattern) => text.has(pattern));
  const isPrice = has(prices);
  const isDue = has(deadlines, overdue);
  const named: Readonly<Record<ChatModule, boolean>> = {
    market: isPrice,
    credits: !isPrice && has(credits, words.word("retired?|retirements?")),
    compliance: isDue || has(status) || (!isPrice && has(...words.FRAMEWORK_PATTERNS.map(([, one]) => one))),
    emissions: has(emissions, words.word("scopes?")) || hasEmissionNames,
  };
  if (isPrice) takeAll(text, words.word("carbon"));
  if (isDue && !isPrice && !named.credits && !hasEmissionNames) return "compliance";
  const [subject, ...others] = CHAT_MODULES.filter((module) => named[module]);
  const all = [subject ?? "emissions", ...others];
  requireThat(
    others.length === 0,
    `I can only answer one thing at a time. Please ask about ${all.join(" and ").replace("market", "prices")} separately:`,
    ...all.map((one) => EXAMPLES[one][0] ?? ""),
  );
  return subject;
}

/** Words in questions about factors that do not name an activity. */
const NO_ACTIVITY = /^(?:used|use|using|value|kg|per|by|latest|which|for|with|emissions?|co2e?)$/;

function readFactor(text: OpenText): Question {
  takeAll(text, PHRASES.courtesies);
  const phrases = text.phrases((word) => words.isFiller(word) || NO_ACTIVITY.test(word));
  const search = phrases.flatMap((phrase) => phrase.words).join(" ");
  requireThat(
    search,
    "Which activity do you need an emission factor for?",
    "What is the emission factor for diesel?",
  );
  return { subject: "factors", search: search.slice(0, 200) };
}

/** Returns true if a name has another meaning in a question, such as `Q3` or `Total`, or contains no letter. */
function isGrammar(name: OpenText, now: Date): boolean {
  if (!name.has(/\p{L}/u)) return true;
  takePeriods(name, now);
  takeScopes(name);
  takeFrameworks(name);
  const nouns = Object.values({ ...words.PART_WORDS, ...words.STEP_WORDS }).map(words.word);
  const others = [words.CONTINUES, words.NEAR_GRAMMAR, words.ADVICE, ...nouns];
  for (const pattern of [...Object.values(PHRASES), ...others]) takeAll(name, pattern);
  return name.phrases((word) => words.isFiller(word) || words.NEAR_GRAMMAR.test(word)).length === 0;
}
