import { requireAccess } from "../../access/context.js";
import { requireActing } from "../../actions/acting.js";
import { readPriceIndex } from "../../actions/market/read-index.js";
import { recordPrice } from "../../actions/market/record-price.js";
import {
  countInstruments,
  findPrice,
  type InstrumentFilter,
  listInstruments,
} from "../../data/market/market.js";
import { percentOf, subtractDecimals } from "../../domain/amounts.js";
import { ageOf, isStale } from "../../domain/market/freshness.js";
import { geographyOf } from "../../domain/market/regions.js";
import { isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { limitList, readNames, readRange, requireSize } from "../paging/arguments.js";
import { readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";

export const market = {
  Query: {
    market: () => ({}),
    marketPrice: (_parent, { id }, context) =>
      findPrice(requireAccess(context).tenant, id, isoDate(context.request.now)),
  },
  Market: {
    id: (_parent, _args, context) => objectId(context, "Market"),
    async prices(_parent, { first, geography }, context) {
      const prices = await requireAccess(context).loaders.latestPrices();
      const wanted = geography ? prices.filter(({ region }) => geographyOf(region) === geography) : prices;
      return limitList(wanted, first, context);
    },
    priceIndex: (_parent, question, context) =>
      readPriceIndex(requireAccess(context).tenant, question, context.request.now),
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

  MarketPrice: {
    ageDays: (price, _args, context) => ageOf(price, isoDate(context.request.now)),
    stale: (price, _args, context) => isStale(price, isoDate(context.request.now)),
  },
  RecordedPrice: {
    async price({ id }, _args, context) {
      const price = await findPrice(requireAccess(context).tenant, id, isoDate(context.request.now));
      if (!price) throw new Error(`the price ${id} went away`);
      return price;
    },
  },

  Mutation: {
    recordPrice: (_parent, { input }, context) => recordPrice(requireActing(context), input),
  },
} satisfies Resolvers;
