import { requireAccess } from "../../context.js";
import { listBenchmarks } from "../../data/benchmarks.js";
import type { Resolvers } from "../../generated/resolvers.js";

export const benchmarks = {
  Query: { benchmarks: (_parent, { sector }) => ({ sector }) },
  Benchmarks: {
    items: ({ sector }, _args, context) => listBenchmarks(requireAccess(context).tenant, sector),
  },
} satisfies Resolvers;
