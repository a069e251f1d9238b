import type { Framework } from "../enums.js";
import { type OpenQuestion, readNames, refuse, requireThat, takeAll, takeEach } from "./open-question.js";
import { NUMBER, numberOf, takeAhead, takeDue, takePeriods } from "./periods.js";
import {
  type ComplianceQuestion,
  CREDIT_STATES,
  type CreditQuestion,
  type CreditState,
  type MarketQuestion,
} from "./question.js";
import { requirePeriod } from "./read-emissions.js";
import type { OpenText } from "./text.js";
import * as words from "./words.js";

/** Returns words that may occur in the data. Refuses names of facilities, categories and countries. */
function aboutOf(open: OpenQuestion<unknown>): string | null {
  const { names, phrases } = readNames(open, 2);
  const [other] = names;
  if (other) refuse(`I can't narrow this down to "${other.label}" yet.`);
  return phrases.map(({ words }) => words.join(" ")).join(" ") || null;
}

const STATES: Readonly<Record<CreditState, string>> = {
  available: `available|left|remaining|remain|in stock|unsold|unused|own|hold|holding|balance|to sell|not (?:yet )?(?:sold|retired)`,
  issued: `issued|issue|received|ever had`,
  sold: `sold|sell|sales?`,
  retired: `retired?|retirements?|retiring|cancelled|canceled|used up|redeemed`,
};
const BY = "by|per|each|for each|of each|of every|which|what";

/** Reads a question about carbon credits. Throws Unanswerable. */
export function readCredits(open: OpenQuestion<CreditQuestion>): CreditQuestion {
  const { message, text, now, previous } = open;
  const take = (source: string) => takeAll(text, words.word(source));
  const ahead = takeAhead(text, now);
  const byVintage = take(`(?:${BY}) vintages?(?: years?)?|vintages?`);
  requireThat(
    !text.has(words.word(`(?:${BY}) years?|yearly|annual(?:ly)?`)),
    "I can't break credits down by year, but I can by vintage:",
    "Show credits by vintage",
  );
  const [period = null, ...others] = takePeriods(text, now).map((one) => requirePeriod(one, message));
  const states = CREDIT_STATES.filter((state) => take(STATES[state]));
  const byType = take(`(?:${BY}) (?:credit )?(?:types?|kinds?)|types|kinds`);
  const is = takeEach(text, ["breakdown", "forecast", "count", "credits", "total"]);
  take("carbon|number|units");
  const about = aboutOf(open) ?? previous?.about ?? null;
  const by = byVintage ? "vintage" : byType || is.breakdown ? "type" : null;
  const [state = null, second] = states.length > 0 || !period ? states : [previous?.state ?? null];
  const isForecast = is.forecast || ahead !== null;
  requireThat(
    !isForecast || (states.every((one) => one === "retired") && !by && about === null && !period),
    "I can only forecast the total number of credits you will retire.",
    "What is the forecast for retired credits?",
  );
  requireThat(
    !period || (!second && (state === "retired" || state === "sold")),
    "I only know your credits as of today. For a past period, I can count the credits sold or retired.",
  );
  requireThat(
    others.length === 0 && !(period && by),
    "I can count the credits sold or retired in one period, without a breakdown.",
  );
  return { subject: "credits", isForecast, about, state: second ? null : state, by, period, ahead };
}

/** Reads a question about prices. Throws Unanswerable. */
export function readMarket(open: OpenQuestion<MarketQuestion>): MarketQuestion {
  const { text, now, previous } = open;
  const ahead = takeAhead(text, now);
  const take = (source: string) => takeAll(text, words.word(source));
  take("today'?s?|latest|live|spot|market|cost of|per (?:tonne|ton|credit|unit)|a tonne|each");
  requireThat(
    takePeriods(text, now).length === 0,
    "I have the latest prices and price forecasts, but not prices for a given period.",
  );
  const isForecast = takeEach(text, ["forecast", "prices", "credits"]).forecast || ahead !== null;
  take("instruments?|carbon|certificates?|allowances?");
  takeEach(text, ["compare", "up", "down"]);
  return { subject: "market", isForecast, about: aboutOf(open) ?? previous?.about ?? null, ahead };
}

/** Takes the named frameworks. */
export const takeFrameworks = (text: OpenText): readonly Framework[] =>
  words.FRAMEWORK_PATTERNS.flatMap(([framework, pattern]) => (takeAll(text, pattern) ? [framework] : []));

/** Words for the status of frameworks; `open` means all but compliant and not applicable. */
const STATUSES: readonly (readonly [status: string, words: string])[] = [
  ["open", `non[- ]?compliant|not (?:yet |fully )?(?:compliant|in compliance)|problems?|issues?|at risk`],
  [
    "action_required",
    `action[- ]required|(?:needs?|requires?)(?: any| some| our)? (?:action|attention)|action needed`,
  ],
  ["pending_review", `(?:pending |under |in )review|pending_review`],
];

/** Reads a question about deadlines or frameworks. Throws Unanswerable. */
export function readCompliance(open: OpenQuestion<ComplianceQuestion>): ComplianceQuestion {
  const { message, text, now, previous } = open;
  const take = (source: string) => takeAll(text, words.word(source));
  const number = text.take(words.word(`next (${NUMBER})(?! (?:days|weeks|months))`))?.[1];
  const [due = null, ...others] = takeDue(text, now).map((one) => requirePeriod(one, message));
  requireThat(others.length === 0, "I can only list the deadlines in one period at a time.");
  const inDays = take(
    "how (?:many days|long|soon)(?: (?:until|till|left|before|is it until))?|days (?:until|till|left)",
  );
  const isUnmet = take("not (?:been )?(?:met|done)");
  const is = takeEach(text, ["count", "overdue"]);
  const isOverdue = isUnmet || is.overdue;
  const status = STATUSES.find(([, source]) => take(source))?.[0] ?? null;
  const isNamed = take(
    "report (?:under|to)|registered(?: for)?|follow|compl(?:y|ies)|appl(?:y|ies)|subject to",
  );
  const isStatus = takeAll(text, words.PHRASES.status) || status !== null || isNamed;
  const isNext =
    take("next|first|nearest|soonest|upcoming (?=deadline(?!s))|until|till") ||
    inDays ||
    /\bwhen\b/i.test(message);
  take("(?:to|must|should) be done|upcoming|coming|open|pending|ahead|must|should");
  const isDeadlines = takeAll(text, words.PHRASES.deadlines) || isOverdue || isNext;
  const frameworks = takeFrameworks(text);
  take("with|each|every|by framework|under|against|hand in|days?");
  const about = aboutOf(open);
  requireThat(
    !isStatus || !isDeadlines || isNext,
    "Do you mean the status of your frameworks or their deadlines?",
    "What is our status under each framework?",
    "What is our next deadline?",
  );
  const isAboutStatus = !isDeadlines && (isStatus || (!due && !is.count && frameworks.length > 0));
  const intent = isAboutStatus ? "status" : is.count ? "count" : "deadlines";
  requireThat(intent !== "status" || !due, "I only know the current status of your frameworks.");
  const isContinued = previous && !isStatus && !isDeadlines && !is.count;
  return {
    subject: "compliance",
    intent: isContinued ? previous.intent : intent,
    isOverdue,
    frameworks: frameworks.length > 0 ? frameworks : (previous?.frameworks ?? []),
    count: number !== undefined ? numberOf(number) : isNext && !is.count ? 1 : null,
    due: due ?? (isDeadlines ? null : (previous?.due ?? null)),
    about,
    status,
  };
}
