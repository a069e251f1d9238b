import { refuse } from "../../../domain/chat/leftovers.js";
import type { MarketQuestion } from "../../../domain/chat/question.js";
import { distinct, figure, priced, type Reply, reply, writeDay } from "../reply.js";
import type { Ask } from "../tools.js";
import { answerForecast } from "./answer-forecast.js";
import { MOST_READ } from "./emission-data.js";
import { contains } from "./match-names.js";

/** Maximum number of prices in an answer. */
const MOST_SHOWN = 10;

/** Answers a question about market prices. */
export async function answerMarket({ isForecast, about, ahead }: MarketQuestion, ask: Ask): Promise<Reply> {
  const page = (await ask("getMarketPrices", { first: MOST_READ })).market.instruments;
  const prices = page.nodes
    .map(({ latestPrice }) => latestPrice)
    .filter((one) => contains(`${one.creditType} ${one.exchange}`, about));
  const [only, ...others] = prices;
  if (!only)
    refuse(`There is no price of "${(about ?? "").slice(0, 100)}" that you can see.`, "Show all prices");
  const { creditType, exchange } = only;
  if (isForecast && others.length > 0)
    refuse(
      "There are several such prices. Which one?",
      ...prices.slice(0, 6).map((one) => `Price forecast of ${one.creditType} on ${one.exchange}`),
    );
  if (isForecast)
    return answerForecast(
      `Price of ${creditType} on ${exchange}`,
      ahead,
      async (horizon) =>
        (await ask("forecastPrice", { creditType, exchange, horizon, method: "OLS" })).market.forecast,
    );
  const shown = prices.slice(0, MOST_SHOWN);
  const lines = shown.map(({ creditType, exchange, price, currency, unit, asOf, isStale }) => {
    const day = asOf === null ? "an unknown day" : writeDay(asOf);
    const stale = isStale ? ", which is out of date" : "";
    return `${creditType}, ${exchange}: ${priced(price)} ${currency} per ${unit} of ${day}${stale}`;
  });
  const all = page.pageInfo.hasNextPage ? `more than ${MOST_READ}` : String(prices.length);
  const cut =
    prices.length > shown.length
      ? `\nThese are ${shown.length} of ${all}. Ask for a credit type to see others.`
      : "";
  return {
    ...reply(
      `Latest prices:\n${lines.join("\n")}${cut}`,
      shown.map(({ creditType, exchange, price, currency, unit }) =>
        figure(`${creditType}, ${exchange}`, price, `${currency}/${unit}`),
      ),
      [`What is the price forecast for ${creditType}?`, "Show all prices"],
    ),
    sources: distinct(shown),
  };
}
