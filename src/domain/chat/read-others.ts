import type { Framework } from "../enums.js";
import { addDays, addMonths, type DateRange, isoDate } from "../window.js";
import { type Open, readNames, refuse, takeAll } from "./leftovers.js";
import { MONTHS, monthIndex, NUMBER, numberOf, takeAhead, takePeriods } from "./periods.js";
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
import { PHRASES } from "./words.js";

/** Returns the words that the data may contain; refuses the names of emissions. */
function aboutOf(open: Open<unknown>): string | null {
  const { names, phrases } = readNames(open, 2);
  const [other] = names;
  if (other) refuse(`I can't answer this for "${other.label}" yet.`);
  return phrases.map(({ words }) => words.join(" ")).join(" ") || null;
}

const STATES: Readonly<Record<CreditState, string>> = {
  available: `available|left|remaining|remain|in stock|unsold|unused|own|hold|holding|balance|to sell|not (?:yet )?(?:sold|retired)`,
  issued: `issued|issue|received|ever had`,
  sold: `sold|sell|sales?`,
  retired: `retired?|retirements?|retiring|cancelled|canceled|used up|redeemed`,
};
const BY = "by|per|each|for each|of each|of every|which|what";
const BY_TYPE = words.word(`(?:${BY}) (?:credit )?(?:types?|kinds?)|types|kinds`);
const BY_VINTAGE = words.word(`(?:${BY}) vintages?(?: years?)?|vintages?`);
const BY_YEAR = words.word(`(?:${BY}) years?|yearly|annual(?:ly)?`);

/** Reads a question about carbon credits. Throws Unanswerable. */
export function readCredits(open: Open<CreditQuestion>): CreditQuestion {
  const { message, text, now, previous } = open;
  const ahead = takeAhead(text, now);
  const byVintage = takeAll(text, BY_VINTAGE);
  if (text.has(BY_YEAR))
    refuse(
      "I can't split credits by year, but by their vintage:",
      "Show credits by vintage",
      "How many credits did we retire last year?",
    );
  const [period, ...others] = takePeriods(text, now, false).map((one) => requirePeriod(one, message));
  const states = CREDIT_STATES.filter((state) => takeAll(text, words.word(STATES[state])));
  const byType = takeAll(text, BY_TYPE) || takeAll(text, PHRASES.BREAKDOWN);
  const isForecast = takeAll(text, PHRASES.FORECAST) || ahead !== null;
  for (const pattern of [PHRASES.COUNT, PHRASES.CREDITS, PHRASES.TOTAL, words.word("carbon|number|units")])
    takeAll(text, pattern);
  const about = aboutOf(open) ?? previous?.about ?? null;
  const by = byVintage ? "vintage" : byType ? "type" : null;
  const state = states.length === 1 ? (states[0] ?? null) : period ? (previous?.state ?? null) : null;
  if (isForecast && (states.some((one) => one !== "retired") || by || about !== null || period))
    refuse(
      "I can only forecast how many credits of all types you will retire.",
      "What is the forecast of retired credits?",
    );
  if (period && state !== "retired" && state !== "sold")
    refuse(
      "I know the credits as they are today. For a period, I can count those that were sold or retired.",
      "How many credits are available?",
      "How many credits did we retire last year?",
    );
  if (others.length > 0 || (period && by)) refuse("I can count the credits sold or retired in one period.");
  return { subject: "credits", isForecast, about, state, by, period: period ?? null, ahead };
}

/** Reads a question about prices. Throws Unanswerable. */
export function readMarket(open: Open<MarketQuestion>): MarketQuestion {
  const { text, now, previous } = open;
  const ahead = takeAhead(text, now);
  takeAll(
    text,
    words.word("today'?s?|latest|live|spot|market|cost of|per (?:tonne|ton|credit|unit)|a tonne|each"),
  );
  if (takePeriods(text, now, false).length > 0)
    refuse("I know the latest prices and their forecast, but not the prices of a period.", "Show all prices");
  const isForecast = takeAll(text, PHRASES.FORECAST) || ahead !== null;
  const general = words.word("instruments?|carbon|certificates?|allowances?");
  for (const pattern of [PHRASES.PRICES, PHRASES.CREDITS, general, PHRASES.COMPARE, PHRASES.UP, PHRASES.DOWN])
    takeAll(text, pattern);
  return { subject: "market", isForecast, about: aboutOf(open) ?? previous?.about ?? null, ahead };
}

/** Takes the named frameworks. */
export const takeFrameworks = (text: OpenText): readonly Framework[] =>
  words.FRAMEWORK_PATTERNS.flatMap(([framework, pattern]) => (takeAll(text, pattern) ? [framework] : []));

/** Takes the days in which deadlines are due; null if the question does not name any. */
function takeDue(text: OpenText, now: Date): DateRange | null {
  const today = isoDate(now);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  const span = (start: number, months: number, of = year) => {
    const from = isoDate(new Date(Date.UTC(of, start, 1)));
    return { from, to: addDays(new Date(addMonths(from, months)), -1) };
  };
  const take = (source: string) =>
    text.take(
      words.word(`(?:in |within |over |during |by |the |before |until |till |end of )*(?:${source})`),
    );
  // "By March" is until its end, and "before March" until the day before it.
  const until = ([phrase]: RegExpExecArray, days: DateRange): DateRange => {
    const isBefore = /\bbefore\b(?!.*\bend of\b)/.test(phrase);
    if (!isBefore && !/\b(?:by|before|until|till)\b/.test(phrase)) return days;
    const to = isBefore ? addDays(new Date(days.from), -1) : days.to;
    if (to < today) refuse("These days are over.", "Which deadlines are overdue?");
    return { from: today, to };
  };
  const ahead = take(`(?:next|coming) (few|${NUMBER}) (days|weeks|months)`);
  if (ahead) {
    const n = numberOf(ahead[1] ?? "") || 3;
    const to = ahead[2] === "months" ? addMonths(today, n) : addDays(now, ahead[2] === "weeks" ? 7 * n : n);
    return { from: today, to };
  }
  if (take("end of (?:the|this) year|year[- ]?end|rest of (?:the|this) year"))
    return { from: today, to: `${year}-12-31` };
  const soon = take("(soon|shortly)|(today)|this week");
  if (soon) return { from: today, to: addDays(now, soon[1] ? 90 : soon[2] ? 0 : 6) };
  const unit = take("(this|current|next|coming) (month|quarter|year)");
  if (unit) {
    const months = { month: 1, quarter: 3, year: 12 }[unit[2] as "month" | "quarter" | "year"];
    const isNext = /next|coming/.test(unit[1] ?? "");
    return until(unit, span(month - (month % months) + (isNext ? months : 0), months));
  }
  const named = take(`(${MONTHS.join("|")})(?: (20\\d\\d))?`);
  if (named) {
    const index = monthIndex(named[1] ?? "");
    const isOver = index < month || (index === month && /\bbefore /.test(named[0]));
    return until(named, span(index, 1, named[2] ? Number(named[2]) : isOver ? year + 1 : year));
  }
  const whole = take("(20\\d\\d)(?![-/\\d])");
  return whole && until(whole, span(0, 12, Number(whole[1])));
}

/** Words for the status of frameworks; `open` is any but compliant. */
const STATUSES: readonly (readonly [status: string, words: string])[] = [
  ["open", `non[- ]?compliant|not (?:yet |fully )?(?:compliant|in compliance)|problems?|issues?|at risk`],
  [
    "action_required",
    `action[- ]required|(?:needs?|requires?)(?: any| some| our)? (?:action|attention)|action needed`,
  ],
  ["pending_review", `(?:pending |under |in )review|pending_review`],
];

/** Reads a question about deadlines or frameworks. Throws Unanswerable. */
export function readCompliance(open: Open<ComplianceQuestion>): ComplianceQuestion {
  const { message, text, now, previous } = open;
  const take = (source: string) => takeAll(text, words.word(source));
  const number = text.take(words.word(`next (${NUMBER})(?! (?:days|weeks|months))`))?.[1];
  const due = takeDue(text, now);
  const inDays = take(
    "how (?:many days|long|soon)(?: (?:until|till|left|before|is it until))?|days (?:until|till|left)",
  );
  const isCount = takeAll(text, PHRASES.COUNT);
  const isOverdue = take("not (?:been )?(?:met|done)") || takeAll(text, PHRASES.OVERDUE);
  const status = STATUSES.find(([, source]) => take(source))?.[0] ?? null;
  const named = take(
    "report (?:under|to)|registered(?: for)?|follow|compl(?:y|ies)|appl(?:y|ies)|subject to",
  );
  const isStatus = takeAll(text, PHRASES.STATUS) || status !== null || named;
  const isNext =
    take("next|first|nearest|soonest|upcoming (?=deadline(?!s))|until|till") ||
    inDays ||
    /\bwhen\b/i.test(message);
  take("(?:to|must|should) be done|upcoming|coming|open|pending|ahead|must|should");
  const isDeadlines = takeAll(text, PHRASES.DEADLINES) || isOverdue || isNext;
  const frameworks = takeFrameworks(text);
  take("with|each|every|by framework|under|against|hand in|days?");
  const about = aboutOf(open);
  if (isStatus && isDeadlines && !isNext)
    refuse(
      "Do you mean the status of your frameworks, or their deadlines?",
      "What is our status in each framework?",
      "What is our next deadline?",
    );
  const isAboutStatus = isStatus ? !isDeadlines : !isDeadlines && !due && !isCount && frameworks.length > 0;
  const intent = isAboutStatus ? "status" : isCount ? "count" : "deadlines";
  if (intent === "status" && due) refuse("I know the status of frameworks as it is today.");
  const isContinued = previous && !isStatus && !isDeadlines && !isCount;
  return {
    subject: "compliance",
    intent: isContinued ? previous.intent : intent,
    isOverdue,
    frameworks: frameworks.length > 0 ? frameworks : (previous?.frameworks ?? []),
    count: number !== undefined ? numberOf(number) : isNext && !isCount ? 1 : null,
    due: due ?? (isDeadlines ? null : (previous?.due ?? null)),
    about,
    status,
  };
}
