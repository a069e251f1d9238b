import { requireAccess } from "../../access/context.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { limitList } from "../paging/arguments.js";
import { objectId } from "./object-id.js";

export const benchmarks = {
  Query: {
    benchmarks: (_parent, filter, context) => ({
      filter,
      items: async ({ first }) =>
        limitList(await requireAccess(context).loaders.benchmarks(filter), first, context),
    }),
  },
  Benchmarks: { id: ({ filter }, _args, context) => objectId(context, "Benchmarks", filter) },
} satisfies Resolvers;
