import { MOST_FIGURES, type Question } from "../../../domain/chat/question.js";
import type { Ask } from "../ask.js";
import {
  creditForecastQuery,
  creditsQuery,
  priceForecastQuery,
  pricesQuery,
  retirementsQuery,
} from "../queries.js";
import { counted, distinct, figure, ofDays, type Reply, saying, written } from "../reply.js";
import { answerForecast } from "./answer-forecast.js";
import { required } from "./emission-subject.js";

type About<Subject extends Question["subject"]> = Extract<Question, { subject: Subject }>;

const STATE_NAMES = { available: "Available", issued: "Issued", sold: "Sold", retired: "Retired" } as const;
const STATES = ["available", "issued", "sold", "retired"] as const;
const CREDIT_FOLLOW_UPS = ["Show credits by type", "How many credits did we retire last year?"];

/** Answers a question about the organization's credits. */
export async function answerCredits(question: About<"credits">, ask: Ask): Promise<Reply> {
  if (question.intent === "retired") return answerRetired(question, ask);
  if (question.intent === "forecast") {
    return answerForecast({
      ahead: question.ahead,
      what: "Credits that will be retired",
      run: async (horizon) => (await ask(creditForecastQuery, { horizon })).credits?.forecast,
      followUps: CREDIT_FOLLOW_UPS,
    });
  }
  const { byTypeAndVintage, ...totals } = required((await ask(creditsQuery, {})).credits);
  if (question.intent === "breakdown") return showTypes(question, byTypeAndVintage);
  const { creditType, state } = question;
  const ofType = byTypeAndVintage.filter((group) => group.creditType === creditType);
  const sum = (key: (typeof STATES)[number]) => ofType.reduce((total, group) => total + group[key], 0);
  const amounts =
    creditType === null
      ? {
          available: totals.availableCredits,
          issued: totals.issuedCredits,
          sold: totals.soldCredits,
          retired: totals.retiredCredits,
        }
      : { available: sum("available"), issued: sum("issued"), sold: sum("sold"), retired: sum("retired") };
  const shown = state === null ? STATES : [state];
  const lines = shown.map((key) => `${STATE_NAMES[key].toLowerCase()} ${written(amounts[key])}`);
  return {
    text: `Credits${creditType === null ? "" : ` of the type ${creditType}`} as of now: ${lines.join(", ")}.`,
    figures: shown.map((key) => figure(STATE_NAMES[key], amounts[key], "credits")),
    sources: [],
    followUps: CREDIT_FOLLOW_UPS,
  };
}

function showTypes(
  { state, creditType }: About<"credits">,
  groups: readonly { creditType: string; available: number; issued: number; sold: number; retired: number }[],
): Reply {
  const key = state ?? "available";
  const amounts = new Map<string, number>();
  for (const group of groups) {
    if (creditType !== null && group.creditType !== creditType) continue;
    amounts.set(group.creditType, (amounts.get(group.creditType) ?? 0) + group[key]);
  }
  if (amounts.size === 0) return saying("There are no credits in your portfolio.");
  const sorted = [...amounts].sort(([, one], [, other]) => other - one).slice(0, MOST_FIGURES);
  return {
    text: `${STATE_NAMES[key]} credits by type, as of now:\n${sorted.map(([type, amount]) => `${type}: ${written(amount)}`).join("\n")}`,
    figures: sorted.map(([type, amount]) => figure(type, amount, "credits")),
    sources: [],
    followUps: ["How many credits have we retired?"],
  };
}

async function answerRetired({ periods: [period], creditType }: About<"credits">, ask: Ask): Promise<Reply> {
  if (!period) throw new Error("a question about retirements has no period");
  const { from, to } = period;
  const filter = { retiredOn: { from, to }, ...(creditType !== null && { creditTypes: [creditType] }) };
  const { nodes, pageInfo } = required((await ask(retirementsQuery, { filter })).credits).retirements;
  if (pageInfo.hasNextPage) {
    return saying(
      `There are more than 100 retirements ${ofDays(period)}, which I do not add up. Ask for fewer days.`,
    );
  }
  const total = nodes.reduce((sum, { quantity }) => sum + quantity, 0);
  const what = creditType === null ? "credits" : `credits of the type ${creditType}`;
  return {
    text: `${written(total)} ${what} were retired ${ofDays(period)}, in ${counted(nodes.length, "retirement")}.`,
    figures: [figure("Retired", total, "credits")],
    sources: [],
    followUps: ["And last year?", "How many credits are available?"],
  };
}

/** Maximum number of prices in an answer. */
const MOST_PRICES = 10;

/** Answers a question about prices. */
export async function answerMarket(
  { intent, creditType, exchange, ahead }: About<"market">,
  ask: Ask,
): Promise<Reply> {
  const filter = {
    ...(creditType !== null && { creditTypes: [creditType] }),
    ...(exchange !== null && { exchanges: [exchange] }),
  };
  const { nodes, pageInfo } = required((await ask(pricesQuery, { filter })).market).instruments;
  const [only, ...others] = nodes;
  if (!only) return saying("There is no such price that you see.");
  if (intent === "forecast") {
    if (others.length > 0) {
      const names = nodes
        .slice(0, 5)
        .map(({ creditType, exchange }) => `"price forecast of ${creditType} on ${exchange}"`);
      return saying(`There are several such prices. Ask for one of them: ${names.join(", ")}.`);
    }
    const instrument = { creditType: only.creditType, exchange: only.exchange };
    return answerForecast({
      ahead,
      what: `The price of ${only.creditType} on ${only.exchange}`,
      run: async (horizon) => (await ask(priceForecastQuery, { ...instrument, horizon })).market?.forecast,
      followUps: [`What is the price of ${only.creditType}?`],
    });
  }
  const shown = nodes.slice(0, MOST_PRICES);
  const lines = shown.map(({ creditType, exchange, latestPrice: latest, change }) => {
    const days = latest.asOf == null ? "of an unknown day" : `of ${latest.asOf}`;
    const before = change
      ? `; before, ${written(change.previous.price)}${change.previous.asOf == null ? "" : ` of ${change.previous.asOf}`}`
      : "";
    return `${creditType}, ${exchange}: ${written(latest.price)} ${latest.currency} per ${latest.unit} ${days}${latest.isStale ? ", which is stale" : ""}${before}`;
  });
  const all = pageInfo.hasNextPage ? "more than 100" : String(nodes.length);
  const cut =
    nodes.length > shown.length
      ? `\nThese are ${shown.length} of ${all}. Ask for a credit type to see others.`
      : "";
  return {
    text: `Latest prices:\n${lines.join("\n")}${cut}`,
    figures: shown.map(({ creditType, exchange, latestPrice: { price, currency, unit } }) =>
      figure(`${creditType}, ${exchange}`, price, `${currency}/${unit}`),
    ),
    sources: distinct(
      shown.map(({ latestPrice: { source, sourceUrl } }) =>
        sourceUrl ? { title: source, url: sourceUrl } : null,
      ),
    ),
    followUps: [`What is the price forecast for ${only.creditType}?`, "Show all prices"],
  };
}
