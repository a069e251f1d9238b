import { type Context, requireAccess } from "../../access/context.js";
import { requireActorContext } from "../../actions/actor-context.js";
import { readPriceIndex } from "../../actions/market/read-index.js";
import { recordPrice } from "../../actions/market/record-price.js";
import {
  countInstruments,
  findPrice,
  type InstrumentFilter,
  listInstruments,
} from "../../data/market/market.js";
import { percentOf, subtractDecimals } from "../../domain/decimals.js";
import { ageOf, isStale } from "../../domain/market/freshness.js";
import { type Geography, geographyOf } from "../../domain/market/regions.js";
import { isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { limitList, readNames, readRange, requireSize } from "../paging/arguments.js";
import { readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";
import { requireRow } from "./require-row.js";

/** Reads the latest prices, limited to the market `geography` if given. */
async function readPrices(geography: Geography | null | undefined, context: Context) {
  const prices = await requireAccess(context).loaders.latestPrices();
  return geography ? prices.filter(({ region }) => geographyOf(region) === geography) : prices;
}

const isLiveFeedConnected = (_parent: unknown, _args: unknown, context: Context) =>
  requireAccess(context).loaders.isLiveFeedConnected();

export const market = {
  Query: {
    market: () => ({}),
    marketPrice: (_parent, { id }, context) =>
      findPrice(requireAccess(context).tenant, id, isoDate(context.request.now)),
  },
  Market: {
    id: (_parent, _args, context) => objectId(context, "Market"),
    prices: async (_parent, { first, geography }, context) =>
      limitList(await readPrices(geography, context), first, context),
    geography: (_parent, { geography }) => ({ geography }),
    priceIndex: (_parent, question, context) =>
      readPriceIndex(requireAccess(context).tenant, question, context.request.now),
    isLiveFeedConnected,
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
  GeographicMarket: {
    id: ({ geography }, _args, context) => objectId(context, "GeographicMarket", geography),
    prices: async ({ geography }, { first }, context) =>
      limitList(await readPrices(geography, context), first, context),
    isLiveFeedConnected,
    async message({ geography }, _args, context) {
      const prices = await readPrices(geography, context);
      // In India, only the certificate of the trading scheme counts.
      if (geography !== "india") return prices.length > 0 ? null : "No price recorded yet";
      return prices.some(({ creditType }) => creditType === "CCC") ? null : "No CCC trade price recorded yet";
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
    isStale: (price, _args, context) => isStale(price, isoDate(context.request.now)),
  },
  RecordPricePayload: {
    async price({ id }, _args, context) {
      const price = await findPrice(requireAccess(context).tenant, id, isoDate(context.request.now));
      return requireRow(price, `price ${id}`);
    },
  },

  Mutation: {
    recordPrice: (_parent, { input }, context) => recordPrice(requireActorContext(context), input),
  },
} satisfies Resolvers;
