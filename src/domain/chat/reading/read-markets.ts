import { takeAhead, takePeriods } from "../periods.js";
import { CREDIT_STATES, type CreditState, type Question } from "../question.js";
import * as words from "../words.js";
import { type Open, refuse, requireNames, takeAll } from "./leftovers.js";

type CreditQuestion = Extract<Question, { subject: "credits" }>;
type MarketQuestion = Extract<Question, { subject: "market" }>;

const STATES: Readonly<Record<CreditState, RegExp>> = {
  available: words.word("available|left|remaining|in stock"),
  issued: words.word("issued"),
  sold: words.word("sold"),
  retired: words.word("retired?|retirements?|retiring"),
};
const BY_TYPE = words.word("(?:by|per|each|for each) (?:credit )?types?|types");

/** Reads a question about carbon credits. Throws Unanswerable. */
export function readCredits(open: Open<CreditQuestion>): Question {
  const { text, now, previous } = open;
  const ahead = takeAhead(text, now);
  const found = takePeriods(text, now, false);
  const states = CREDIT_STATES.filter((state) => takeAll(text, STATES[state]));
  const byType = takeAll(text, BY_TYPE) || takeAll(text, words.BREAKDOWN);
  const isForecast = takeAll(text, words.FORECAST) || ahead !== null;
  const hasAmount = [words.COUNT, words.CREDITS, words.TOTAL]
    .map((pattern) => takeAll(text, pattern))
    .some(Boolean);
  const types = requireNames(
    open,
    ["creditType"],
    (name) => `There are no credits of the type "${name}" in your portfolio.`,
  );
  if (!hasAmount && !byType && !isForecast && states.length + found.length + types.length === 0) refuse("");
  if (types.length > 1) refuse("I can answer for one type of credits, or for all by type.");
  const periods = found.map(({ period }) => ("fault" in period ? refuse(period.fault) : period));
  const kept = {
    subject: "credits" as const,
    creditType: types[0]?.value ?? previous?.creditType ?? null,
    state: states.length === 1 ? (states[0] ?? null) : null,
    periods,
    ahead,
  };
  if (isForecast) {
    if (
      states.some((state) => state !== "retired") ||
      byType ||
      kept.creditType !== null ||
      periods.length > 0
    ) {
      refuse("I can forecast only how many credits of all types are retired.");
    }
    return { ...kept, intent: "forecast" };
  }
  if (periods.length > 0) {
    const state = states.length === 0 ? (previous?.state ?? null) : kept.state;
    if (state !== "retired")
      refuse("Credits are counted as they are now. I can say for a period only how many were retired.");
    if (byType || periods.length > 1)
      refuse("I can say for one period how many credits were retired, and not by type.");
    return { ...kept, state, intent: "retired" };
  }
  return { ...kept, intent: byType ? "breakdown" : "total" };
}

/** Reads a question about prices. Throws Unanswerable. */
export function readMarket(open: Open<MarketQuestion>): Question {
  const { text, now, previous } = open;
  const ahead = takeAhead(text, now);
  if (takePeriods(text, now, false).length > 0)
    refuse("I know the latest prices and their forecast, and not the prices of a period.");
  takeAll(text, words.word("latest|live|spot|today'?s?|market|changed?|cost of"));
  const isForecast = takeAll(text, words.FORECAST) || ahead !== null;
  const pricing = [
    words.PRICES,
    words.CREDITS,
    words.word("instruments?|carbon|per (?:tonne|ton|credit|unit)"),
  ];
  const hasPrice = pricing.map((pattern) => takeAll(text, pattern)).some(Boolean);
  const names = requireNames(
    open,
    ["creditType", "exchange"],
    (name) => `There is no price of "${name}" that you see.`,
  );
  if (!hasPrice && !isForecast && names.length === 0) refuse("");
  const creditTypes = names.filter(({ kind }) => kind === "creditType");
  const exchanges = names.filter(({ kind }) => kind === "exchange");
  if (creditTypes.length > 1 || exchanges.length > 1)
    refuse("I can answer for one instrument at a time, or for all prices.");
  const creditType = creditTypes[0]?.value ?? previous?.creditType ?? null;
  const exchange = exchanges[0]?.value ?? null;
  const intent = isForecast ? "forecast" : names.length === 0 && previous ? previous.intent : "price";
  return { subject: "market", intent, creditType, exchange, ahead };
}
