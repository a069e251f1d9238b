import { listed, refuse } from "../../../domain/chat/leftovers.js";
import {
  CREDIT_STATES,
  type CreditQuestion,
  type CreditState,
  MOST_FIGURES,
} from "../../../domain/chat/question.js";
import type { DateRange } from "../../../domain/window.js";
import { capital, figure, ofDays, type Reply, reply, written } from "../reply.js";
import { type Ask, readPages } from "../tools.js";
import { answerForecast } from "./answer-forecast.js";
import { MOST_READ } from "./emission-data.js";
import { contains } from "./match-names.js";

const CREDIT_FOLLOW_UPS = ["Show credits by type", "How many credits did we retire last year?"];

/** Answers a question about the portfolio of credits. */
export async function answerCredits(question: CreditQuestion, ask: Ask): Promise<Reply> {
  const { about, state, by, period, ahead, isForecast } = question;
  if (isForecast)
    return answerForecast(
      "Credits that will be retired",
      ahead,
      async (horizon) => (await ask("forecastRetirements", { horizon, method: "OLS" })).credits.forecast,
    );
  const all = (await ask("getCredits", { first: 1 })).credits.byTypeAndVintage;
  if (all.length === MOST_READ) refuse("There are too many types and vintages of credits to add them up.");
  const groups = all.filter(({ creditType }) => contains(creditType, about));
  const types = [...new Set(groups.map(({ creditType }) => creditType))];
  if (about !== null && types.length === 0)
    refuse(`There are no "${about.slice(0, 100)}" credits in your portfolio.`, "Show credits by type");
  const what = about === null ? "credits" : `${listed(types)} credits`;
  const sumOf = (key: CreditState, some = groups) => some.reduce((sum, group) => sum + group[key], 0);
  if (period) {
    const { from, to } = period;
    const isSale = state === "sold";
    const total = await sumMoved(isSale, { from, to }, about === null ? {} : { creditTypes: types }, ask);
    const note = isSale
      ? ` Sales without a day are not counted; ${written(sumOf("sold"))} were sold in all.`
      : "";
    return reply(
      `${written(total)} ${what} were ${state} ${ofDays(period)}.${note}`,
      [figure(isSale ? "Sold" : "Retired", total, "credits")],
      ["And last year?", "How many credits are available?"],
    );
  }
  const nameOf = ({ vintage, creditType }: (typeof groups)[number]) =>
    by === "vintage" ? String(vintage ?? "no vintage") : creditType;
  const shown = state ?? "available";
  const sums = by
    ? [...new Set(groups.map(nameOf))].map((name) => {
        const some = groups.filter((group) => nameOf(group) === name);
        return figure(name, sumOf(shown, some), "credits");
      })
    : (state ? [state] : CREDIT_STATES).map((key) => figure(capital(key), sumOf(key), "credits"));
  const figures = sums.slice(0, MOST_FIGURES);
  const lines = figures.map(({ name, value }) => `${name}: ${written(value)}`);
  const head = by ? `${capital(shown)} ${what} by ${by}` : capital(what);
  return reply(`${head}, as of today:\n${lines.join("\n")}`, figures, CREDIT_FOLLOW_UPS);
}

const MOST_PAGES = 4;

/** Adds up the credits that were sold or retired in a period. */
async function sumMoved(
  isSale: boolean,
  range: DateRange,
  types: { readonly creditTypes?: string[] },
  ask: Ask,
): Promise<number> {
  const page = { ...types, first: MOST_READ };
  const { items, isWhole } = await readPages<{ readonly quantity: number }>(MOST_PAGES, async (after) =>
    isSale
      ? (await ask("findSales", { range, ...page, after })).credits.sales
      : (await ask("listRetirements", { range, ...page, after })).credits.retirements,
  );
  if (!isWhole) refuse("There are too many to add up. Ask for a shorter period.", ...CREDIT_FOLLOW_UPS);
  return items.reduce((sum, { quantity }) => sum + quantity, 0);
}
