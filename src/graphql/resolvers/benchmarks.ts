import { requireAccess } from "../../context.js";
import type { Resolvers } from "../../generated/resolvers.js";

export const benchmarks = {
  Query: {
    benchmarks: (_parent, { sector, region }, context) => ({
      items: () => requireAccess(context).loaders.benchmarks({ sector, region }),
    }),
  },
} satisfies Resolvers;
