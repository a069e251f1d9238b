import { requireAccess } from "../../context.js";
import { summarizeCredits } from "../../data/credits.js";
import type { Resolvers } from "../../generated/resolvers.js";

export const credits = {
  Query: { credits: (_parent, _args, context) => summarizeCredits(requireAccess(context).tenant) },
} satisfies Resolvers;
