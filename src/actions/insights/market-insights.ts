import type { Access } from "../../access/context.js";
import { type InstrumentKey, listPricesOfInstruments } from "../../data/market/market.js";
import type { Insight } from "../../domain/insights/insight.js";
import { findPriceMove } from "../../domain/insights/price-moves.js";
import { type DateRange, EARLIEST_DAY, isoDate } from "../../domain/window.js";

/** Lists market insights: price changes between the first and the last day of the range. */
export async function listMarketInsights(
  { tenant, loaders }: Access,
  { from, to }: DateRange,
  now: Date,
): Promise<(Insight | null)[]> {
  const instruments = await loaders.latestPrices();
  const pricesUpTo = (day: string) =>
    listPricesOfInstruments(tenant, instruments, {
      range: { from: EARLIEST_DAY, to: day },
      today: isoDate(now),
      limit: 1,
    });
  const [latest, before] = await Promise.all([pricesUpTo(to), pricesUpTo(from)]);
  const first = new Map(before.map((price) => [nameOf(price), price]));
  return latest.map((price) => findPriceMove(price, first.get(nameOf(price))));
}

const nameOf = ({ creditType, exchange }: InstrumentKey) => JSON.stringify([creditType, exchange]);
