import { requireAccess } from "../../context.js";
import { summarizeEmissions } from "../../data/emissions.js";
import { lastTwelveMonths } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";

export const emissions = {
  Query: {
    async emissions(_parent, _args, context) {
      const window = lastTwelveMonths(context.request.now);
      return { ...window, ...(await summarizeEmissions(requireAccess(context).tenant, window)) };
    },
  },
} satisfies Resolvers;
