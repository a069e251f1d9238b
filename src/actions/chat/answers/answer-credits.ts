import { joinWords, requireThat } from "../../../domain/chat/open-question.js";
import {
  CREDIT_STATES,
  type CreditQuestion,
  type CreditState,
  MAX_FIGURES,
} from "../../../domain/chat/question.js";
import { contains } from "../../../domain/chat/text.js";
import { groupBy } from "../../../domain/group-by.js";
import { capitalize } from "../../../domain/texts/capitalize.js";
import { describeDays, figure, formatNumber, list, type Reply, reply } from "../reply.js";
import { type Ask, readPages } from "../tools.js";
import { answerForecast } from "./answer-forecast.js";
import { MAX_READ } from "./emission-data.js";

const MAX_PAGES = 4;

export async function answerCredits(question: CreditQuestion, ask: Ask): Promise<Reply> {
  const { about, state, by, period, ahead, isForecast } = question;
  if (isForecast)
    return answerForecast(
      "Credits that will be retired",
      ahead,
      async (asked) => (await ask("forecastRetirements", asked)).credits.forecast,
    );
  const all = (await ask("getCredits", { first: 1 })).credits.byTypeAndVintage;
  requireThat(all.length < MAX_READ, "You have too many credit types and vintages for me to add up.");
  const groups = all.filter(({ creditType }) => contains(creditType, about));
  const creditTypes = [...new Set(groups.map(({ creditType }) => creditType))];
  requireThat(
    about === null || creditTypes.length > 0,
    `There are no "${about?.slice(0, 100)}" credits in your portfolio.`,
    "Show credits by type",
  );
  const noun = about === null ? "credits" : `${joinWords(creditTypes)} credits`;
  const rowOf = (name: string, key: CreditState, some = groups) => ({
    name,
    value: some.reduce((sum, group) => sum + group[key], 0),
    unit: "credits",
  });
  if (period) {
    const { from, to } = period;
    const given = { range: { from, to }, ...(about !== null && { creditTypes }), first: MAX_READ };
    const { items, isWhole } = await readPages<{ readonly quantity: number }>(MAX_PAGES, async (after) =>
      state === "sold"
        ? (await ask("findSales", { ...given, after })).credits.sales
        : (await ask("listRetirements", { ...given, after })).credits.retirements,
    );
    requireThat(isWhole, "There are too many to add up. Ask about a shorter period.");
    const total = items.reduce((sum, { quantity }) => sum + quantity, 0);
    const note = state === "sold" ? " Sales without a date are not counted." : "";
    return reply(
      `${formatNumber(total)} ${noun} were ${state} ${describeDays(period)}.${note}`,
      [figure(state === "sold" ? "Sold" : "Retired", total, "credits")],
      ["And last year?", "How many credits are available?"],
    );
  }
  const shown = state ?? "available";
  const nameOf = ({ vintage, creditType }: (typeof groups)[number]) =>
    by === "vintage" ? String(vintage ?? "no vintage") : creditType;
  const rows = by
    ? Array.from(groupBy(groups, nameOf), ([name, some]) => rowOf(name, shown, some))
    : (state ? [state] : CREDIT_STATES).map((key) => rowOf(key, key));
  return list(`${by ? `${capitalize(shown)} ${noun} by ${by}` : capitalize(noun)}, as of today`, rows, {
    max: MAX_FIGURES,
    followUps: ["Show credits by type", "How many credits did we retire last year?"],
  });
}
