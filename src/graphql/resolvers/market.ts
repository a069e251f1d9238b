import { requireAccess } from "../../context.js";
import { countInstruments, type InstrumentFilter, listInstruments } from "../../data/market.js";
import { subtractDecimals } from "../../domain/amounts.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readList, readRange, requireSize } from "../arguments.js";
import { type ListIdentity, readPageRequest, toConnection } from "../page.js";

export const market = {
  Query: { market: () => ({}) },
  Market: {
    prices: (_parent, _args, context) => requireAccess(context).loaders.latestPrices(),
    liveFeedConnected: (_parent, _args, context) => requireAccess(context).loaders.isLiveFeedConnected(),
    async instruments(_parent, { filter, ...args }, context) {
      const { tenant } = requireAccess(context);
      const wanted: InstrumentFilter = {
        creditTypes: readList("filter.creditTypes", filter?.creditTypes),
        exchanges: readList("filter.exchanges", filter?.exchanges),
      };
      const list: ListIdentity = ["instruments", tenant.organizationId, wanted];
      const page = await listInstruments(tenant, wanted, readPageRequest(args, list));
      return toConnection(
        page,
        list,
        (price) => ({ creditType: price.creditType, exchange: price.exchange, latestPrice: price }),
        () => countInstruments(tenant, wanted),
      );
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
