import { requireAccess } from "../../access/context.js";
import { countInstruments, type InstrumentFilter, listInstruments } from "../../data/market/market.js";
import { percentOf, subtractDecimals } from "../../domain/amounts.js";
import { isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { limitList, readNames, readRange, requireSize } from "../paging/arguments.js";
import { readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";

export const market = {
  Query: { market: () => ({}) },
  Market: {
    id: (_parent, _args, context) => objectId(context, "Market"),
    prices: async (_parent, { first }, context) =>
      limitList(await requireAccess(context).loaders.latestPrices(), first, context),
    liveFeedConnected: (_parent, _args, context) => requireAccess(context).loaders.isLiveFeedConnected(),
    instruments(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const today = isoDate(context.request.now);
      const wanted: InstrumentFilter = {
        creditTypes: readNames("filter.creditTypes", filter?.creditTypes),
        exchanges: readNames("filter.exchanges", filter?.exchanges),
      };
      return readConnection(access, args, {
        name: "instruments",
        parameters: [wanted],
        read: (page) => listInstruments(access.tenant, wanted, today, page),
        count: () => countInstruments(access.tenant, wanted, today),
        toNode: (price) => ({ creditType: price.creditType, exchange: price.exchange, latestPrice: price }),
      });
    },
  },
  Instrument: {
    id: ({ creditType, exchange }, _args, context) => objectId(context, "Instrument", creditType, exchange),
    history: (instrument, { range, first }, context) =>
      requireAccess(context).loaders.pricesOf(
        instrument,
        readRange("range", range),
        requireSize("first", first),
      ),
    async change(instrument, _args, context) {
      const [latest, previous] = await requireAccess(context).loaders.pricesOf(instrument, null, 2);
      if (!latest || !previous || latest.currency !== previous.currency) return null;
      const amount = subtractDecimals(latest.priceExact, previous.priceExact);
      return {
        instrument,
        previous,
        amount: Number(amount),
        percent: percentOf(amount, previous.priceExact),
      };
    },
  },
  PriceChange: {
    id: ({ instrument: { creditType, exchange } }, _args, context) =>
      objectId(context, "PriceChange", creditType, exchange),
  },
} satisfies Resolvers;
