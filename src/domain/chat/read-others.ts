import type { Framework } from "../enums.js";
import { addDays, addMonths, type DateRange, isoDate } from "../window.js";
import { isSearchable, notYet, type Open, refuse, refusePhrase, requireNames, takeAll } from "./leftovers.js";
import { takeAhead, takePeriods } from "./periods.js";
import {
  type ComplianceQuestion,
  CREDIT_STATES,
  type CreditQuestion,
  type CreditState,
  type MarketQuestion,
} from "./question.js";
import { requirePeriod } from "./read-emissions.js";
import type { OpenText, Phrase } from "./text.js";
import * as words from "./words.js";

const STATES: Readonly<Record<CreditState, RegExp>> = {
  available: words.word(
    "available|left|remaining|remain|in stock|unsold|unused|own|hold|holding|balance|to sell|not (?:yet )?(?:sold|retired)",
  ),
  issued: words.word("issued|issue|received|ever had"),
  sold: words.word("sold|sell|sales?"),
  retired: words.word("retired?|retirements?|retiring|cancelled|canceled|used up|redeemed"),
};
const BY_TYPE = words.word(
  "(?:by|per|each|for each|of each|of every|which|what) (?:credit )?(?:types?|kinds?)|types|kinds",
);
const BY_VINTAGE = words.word("(?:by|per|each|which|what) (?:vintage|year)s?|vintages?");

/** Reads a question about carbon credits. Throws Unanswerable. */
export function readCredits(open: Open<CreditQuestion>): CreditQuestion {
  const { message, text, now, previous } = open;
  const ahead = takeAhead(text, now);
  const byVintage = takeAll(text, BY_VINTAGE);
  const periods = takePeriods(text, now, false).map((one) => requirePeriod(one, message));
  const states = CREDIT_STATES.filter((state) => takeAll(text, STATES[state]));
  const byType = takeAll(text, BY_TYPE) || takeAll(text, words.BREAKDOWN);
  const isForecast = takeAll(text, words.FORECAST) || ahead !== null;
  const amounts = [words.COUNT, words.CREDITS, words.TOTAL, words.word("carbon|number|units")];
  const hasAmount = amounts.map((pattern) => takeAll(text, pattern)).some(Boolean);
  const types = requireNames(open, ["creditType"], (phrase) => {
    refuse(
      `${notYet(phrase.text)} I know the credits in your portfolio by type, and how many are available, sold or retired.`,
    );
  });
  const by = byVintage ? ("vintage" as const) : byType ? ("type" as const) : null;
  if (!hasAmount && !by && !isForecast && states.length + periods.length + types.length === 0) refuse("");
  if (types.length > 1)
    refuse("I can answer for one type of credits, or for all by type.", ["Show credits by type"]);
  const state = states.length === 1 ? (states[0] ?? null) : null;
  const kept = {
    subject: "credits" as const,
    creditType: types[0]?.value ?? previous?.creditType ?? null,
    state: periods.length > 0 && states.length === 0 ? (previous?.state ?? null) : state,
    by,
    periods,
    ahead,
  };
  if (isForecast) {
    if (states.some((one) => one !== "retired") || by || kept.creditType !== null || periods.length > 0)
      refuse("I can only forecast how many credits of all types you will retire.", [
        "What is the forecast of retired credits?",
      ]);
    return { ...kept, intent: "forecast" };
  }
  if (periods.length > 0 && kept.state !== "retired" && kept.state !== "sold")
    refuse(
      "I know the credits as they are today. For a period, I can count those that were sold or retired.",
      ["How many credits are available?", "How many credits did we retire last year?"],
    );
  if (periods.length > 1 || (periods.length > 0 && by))
    refuse("I can count the credits sold or retired in one period, of one type or of all.");
  return { ...kept, intent: "amount" };
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
    refuse("I know the latest prices and their forecast, but not the prices of a period.", [
      "Show all prices",
    ]);
  const isForecast = takeAll(text, words.FORECAST) || ahead !== null;
  const pricing = [
    words.PRICES,
    words.CREDITS,
    words.word("instruments?|carbon|certificates?|allowances?"),
    words.COMPARE,
    words.UP,
    words.DOWN,
  ];
  const hasPrice = pricing.map((pattern) => takeAll(text, pattern)).some(Boolean);
  const names = requireNames(open, ["creditType", "exchange"], (phrase) => {
    refuse(`There is no price of "${phrase.text.slice(0, 100)}" that you can see.`, ["Show all prices"]);
  });
  if (!hasPrice && !isForecast && names.length === 0) refuse("");
  const creditTypes = names.filter(({ kind }) => kind === "creditType");
  const exchanges = names.filter(({ kind }) => kind === "exchange");
  if (creditTypes.length > 1 || exchanges.length > 1)
    refuse("I can answer for one instrument at a time, or for all prices.", ["Show all prices"]);
  return {
    subject: "market",
    intent: isForecast ? "forecast" : names.length === 0 && previous ? previous.intent : "price",
    creditType: creditTypes[0]?.value ?? previous?.creditType ?? null,
    exchange: exchanges[0]?.value ?? null,
    ahead,
  };
}

const MOST_DAYS = 3_650;

/** Takes the named frameworks. */
export const takeFrameworks = (text: OpenText): readonly Framework[] =>
  words.FRAMEWORK_PATTERNS.flatMap(([framework, pattern]) => (takeAll(text, pattern) ? [framework] : []));

/** Takes the days in which deadlines are due; null if the question does not name any. */
function takeDue(text: OpenText, now: Date): DateRange | null {
  const today = isoDate(now);
  const year = now.getUTCFullYear();
  const count = text.take(
    words.word(
      "(?:in |within |over |during )?(?:the )?(?:next|coming) (\\d{1,3}|few|two|three|six|twelve) (days|weeks|months)",
    ),
  );
  if (count) {
    const n = { few: 3, two: 2, three: 3, six: 6, twelve: 12 }[count[1] ?? ""] ?? Number(count[1]);
    if (count[2] === "months") return { from: today, to: addMonths(today, n) };
    return { from: today, to: addDays(now, Math.min(count[2] === "weeks" ? 7 * n : n, MOST_DAYS)) };
  }
  if (
    text.take(
      words.word(
        "(?:(?:by|before|until) )?(?:the )?(?:end of (?:the|this) year|year[- ]?end)|(?:the )?rest of (?:the|this) year",
      ),
    )
  )
    return { from: today, to: `${year}-12-31` };
  if (text.take(words.word("soon|shortly"))) return { from: today, to: addDays(now, 90) };
  if (text.take(words.word("today"))) return { from: today, to: today };
  if (text.take(words.word("(?:in |during )?this week"))) return { from: today, to: addDays(now, 6) };
  const span = text.take(words.word("(?:in |during )?(this|the current|next|coming) (month|quarter|year)"));
  if (span) {
    const months = { month: 1, quarter: 3, year: 12 }[span[2] as "month" | "quarter" | "year"];
    const index = now.getUTCMonth();
    const begun = isoDate(new Date(Date.UTC(year, index - (index % months), 1)));
    const from = /next|coming/.test(span[1] ?? "") ? addMonths(begun, months) : begun;
    return { from, to: addDays(new Date(addMonths(from, months)), -1) };
  }
  const month = text.take(
    words.word(
      "(?:in |during |by (?:the )?end of )?(january|february|march|april|may|june|july|august|september|october|november|december)(?: (20\\d\\d))?",
    ),
  );
  if (month) {
    const index = new Date(`${month[1]} 1, 2000 UTC`).getUTCMonth();
    const of = month[2] ? Number(month[2]) : index < now.getUTCMonth() ? year + 1 : year;
    const from = isoDate(new Date(Date.UTC(of, index, 1)));
    return { from, to: addDays(new Date(addMonths(from, 1)), -1) };
  }
  const whole = text.take(words.word("(?:in |during )?(20\\d\\d)(?![-/\\d])"))?.[1];
  return whole === undefined ? null : { from: `${whole}-01-01`, to: `${whole}-12-31` };
}

/** Reads a question about deadlines or frameworks. Throws Unanswerable. */
export function readCompliance(open: Open<ComplianceQuestion>): ComplianceQuestion {
  const { text, now, previous } = open;
  const number = text.take(words.word("next (\\d{1,2}|two|three|five)(?! (?:days|weeks|months))"))?.[1];
  const due = takeDue(text, now);
  const counts = takeAll(
    text,
    words.word(
      "how many(?= (?:open |overdue |upcoming )?(?:deadlines|filings|submissions|obligations))|number of|count(?: of)?",
    ),
  );
  const inDays = takeAll(
    text,
    words.word(
      "how (?:many days|long|soon)(?: (?:until|till|left|before|is it until))?|days (?:until|till|left)|until|till",
    ),
  );
  if (takeAll(text, words.COUNT) && !counts) refuse(notYet("how many"));
  const isOverdue = takeAll(text, words.word("not (?:been )?(?:met|done)")) || takeAll(text, words.OVERDUE);
  const wanted =
    (takeAll(
      text,
      words.word(
        "non[- ]?compliant|not (?:yet |fully )?compliant|not in compliance|problems?|issues?|at risk|open frameworks?",
      ),
    ) &&
      "open") ||
    (takeAll(
      text,
      words.word(
        "action[- ]required|(?:need|require)s?(?: (?:any|some|our))? (?:action|attention)|actions?(?: required| needed)?|attention",
      ),
    ) &&
      "action_required") ||
    (takeAll(text, words.word("(?:pending |under |in )review|reviewed|pending_review")) &&
      "pending_review") ||
    (takeAll(text, words.word("fully compliant|are compliant|we compliant with(?= *[?.]*$)")) &&
      "compliant") ||
    null;
  const isStatus =
    takeAll(text, words.STATUS) ||
    wanted !== null ||
    takeAll(
      text,
      words.word("report (?:under|to)|registered(?: for)?|follow|compl(?:y|ies)|apply|applies|subject to"),
    );
  const isNext =
    takeAll(text, words.word("next|first|nearest|closest|soonest|upcoming (?=deadline(?!s))|when(?:'s)?")) ||
    inDays ||
    /\bwhen\b/i.test(open.message);
  takeAll(text, words.word("upcoming|coming|open|pending|ahead|must|do next|done"));
  const isDeadlines = takeAll(text, words.DEADLINES) || isOverdue || isNext;
  const frameworks = takeFrameworks(text);
  takeAll(text, words.word("with|each|every|by framework|under|against|hand in|days|day"));
  let title: string | null = null;
  requireNames(open, [], (phrase: Phrase) => {
    if (!isDeadlines || title !== null || !isSearchable(phrase, words.isOperator)) refusePhrase(phrase);
    title = phrase.words.join(" ");
  });
  if (!isStatus && !isDeadlines && !counts && !due && frameworks.length === 0) refuse("");
  if (isStatus && isDeadlines && wanted === null && !isNext)
    refuse("Do you mean the status of your frameworks, or their deadlines?", [
      "What is our status in each framework?",
      "What is our next deadline?",
    ]);
  const isAboutStatus = isStatus && !isDeadlines;
  const intent = isAboutStatus
    ? "status"
    : counts
      ? "count"
      : !isDeadlines && !due
        ? (previous?.intent ?? (frameworks.length > 0 ? "status" : "deadlines"))
        : "deadlines";
  if (intent === "status" && due) refuse("I know the status of frameworks as it is today.");
  const numbers: Readonly<Record<string, number>> = { two: 2, three: 3, five: 5 };
  return {
    subject: "compliance",
    intent,
    isOverdue,
    frameworks: frameworks.length > 0 ? frameworks : (previous?.frameworks ?? []),
    count: number !== undefined ? (numbers[number] ?? Number(number)) : isNext && !counts ? 1 : null,
    due: due ?? (isDeadlines ? null : (previous?.due ?? null)),
    title,
    status: wanted,
  };
}
