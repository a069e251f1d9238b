import { requireAccess } from "../../context.js";
import { isLiveFeedConnected, listLatestPrices } from "../../data/market.js";
import type { Resolvers } from "../../generated/resolvers.js";

export const market = {
  Query: { market: () => ({}) },
  Market: {
    prices: (_parent, _args, context) => listLatestPrices(requireAccess(context).tenant),
    liveFeedConnected: (_parent, _args, context) =>
      isLiveFeedConnected(requireAccess(context).tenant, context.request.now),
  },
} satisfies Resolvers;
