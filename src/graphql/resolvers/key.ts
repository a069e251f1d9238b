import { requireAccess } from "../../context.js";
import type { Resolvers } from "../../generated/resolvers.js";

/** What any valid key may know: whose it is, and what is left of its budget. */
export const key = {
  Query: {
    organization: (_parent, _args, context) => requireAccess(context).key.organization,
    rateLimit(_parent, _args, context) {
      const { tier, limit, used, remaining, secondsToReset } = requireAccess(context).rateLimit;
      const resetAt = new Date(context.request.now.getTime() + secondsToReset * 1_000);
      return { tier, limit, used, remaining, resetAt };
    },
  },
} satisfies Resolvers;
