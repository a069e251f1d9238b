import { refuse, requireThat } from "../../../domain/chat/open-question.js";
import type { MarketQuestion } from "../../../domain/chat/question.js";
import { contains } from "../../../domain/chat/text.js";
import { formatDay } from "../../../domain/insights/insight.js";
import { list, type Reply } from "../reply.js";
import type { Ask } from "../tools.js";
import { answerForecast } from "./answer-forecast.js";
import { MAX_READ } from "./emission-data.js";

export async function answerMarket({ isForecast, about, ahead }: MarketQuestion, ask: Ask): Promise<Reply> {
  const { nodes, pageInfo } = (await ask("getMarketPrices", { first: MAX_READ })).market.instruments;
  const prices = nodes
    .map(({ latestPrice }) => latestPrice)
    .filter(({ creditType, exchange }) => contains(`${creditType} ${exchange}`, about));
  const [only] = prices;
  if (!only) refuse(`I can't find a price for "${(about ?? "").slice(0, 100)}".`, "Show all prices");
  if (isForecast) {
    const choices = prices.map((one) => `Price forecast of ${one.creditType} on ${one.exchange}`);
    requireThat(prices.length === 1, "Several prices match. Which one?", ...choices.slice(0, 6));
    const { creditType, exchange } = only;
    return answerForecast(
      `Price of ${creditType} on ${exchange}`,
      ahead,
      async (asked) => (await ask("forecastPrice", { creditType, exchange, ...asked })).market.forecast,
    );
  }
  const rows = prices.map(({ creditType, exchange, price, currency, unit, asOf, isStale }) => ({
    name: `${creditType}, ${exchange}`,
    value: price,
    unit: `${currency}/${unit}`,
    note: `, ${asOf === null ? "date unknown" : `as of ${formatDay(asOf)}`}${isStale ? " (out of date)" : ""}`,
  }));
  return list("Latest prices", rows, {
    all: pageInfo.hasNextPage ? `more than ${MAX_READ}` : undefined,
    followUps: [`What is the price forecast for ${only.creditType}?`, "Show all prices"],
    quoted: prices,
  });
}
