import { requireAccess } from "../../access/context.js";
import { resetSecond } from "../../domain/rate-limit.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { objectId } from "./object-id.js";

/** What a caller of any scope may read: its organization, and what is left of its hourly limit. */
export const key = {
  Query: {
    organization: (_parent, _args, context) => requireAccess(context).principal.organization,
    async rateLimit(_parent, _args, context) {
      const rateLimit = await requireAccess(context).rateLimit;
      return { ...rateLimit, resetAt: new Date(resetSecond(rateLimit, context.request.now) * 1_000) };
    },
  },
  RateLimit: {
    id: (_parent, _args, context) => objectId(context, "RateLimit", requireAccess(context).principal.id),
    tier: (_parent, _args, context) => requireAccess(context).principal.tier,
  },
} satisfies Resolvers;
