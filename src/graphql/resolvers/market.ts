import { requireAccess } from "../../context.js";
import { countInstruments, type InstrumentFilter, listInstruments } from "../../data/market.js";
import { subtractDecimals } from "../../domain/amounts.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readList, readRange, requireSize } from "../arguments.js";
import { readConnection } from "../page.js";

export const market = {
  Query: { market: () => ({}) },
  Market: {
    prices: (_parent, _args, context) => requireAccess(context).loaders.latestPrices(),
    liveFeedConnected: (_parent, _args, context) => requireAccess(context).loaders.isLiveFeedConnected(),
    instruments(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: InstrumentFilter = {
        creditTypes: readList("filter.creditTypes", filter?.creditTypes),
        exchanges: readList("filter.exchanges", filter?.exchanges),
      };
      return readConnection(access, args, {
        name: "instruments",
        parameters: [wanted],
        read: (page) => listInstruments(access.tenant, wanted, page),
        count: () => countInstruments(access.tenant, wanted),
        toNode: (price) => ({ creditType: price.creditType, exchange: price.exchange, latestPrice: price }),
      });
    },
  },
  Instrument: {
    history: (instrument, { range, first }, context) =>
      requireAccess(context).loaders.pricesOf(
        instrument,
        readRange("range", range),
        requireSize("first", first),
      ),
    async change(instrument, _args, context) {
      const [latest, previous] = await requireAccess(context).loaders.pricesOf(instrument, null, 2);
      if (!latest || !previous || latest.currency !== previous.currency) return null;
      const amount = Number(subtractDecimals(latest.priceExact, previous.priceExact));
      return { previous, amount, percent: previous.price === 0 ? null : (100 * amount) / previous.price };
    },
  },
} satisfies Resolvers;
