import { type Context, requireAccess } from "../../access/context.js";
import type { Principal } from "../../access/principal.js";
import { recordedDays } from "../../domain/emissions/record-rules.js";
import { type RateLimitState, resetSecond } from "../../domain/rate-limit.js";
import { satisfies } from "../../domain/scopes.js";
import { isoDate } from "../../domain/window.js";
import type { Resolvers } from "../../generated/resolvers.js";
import type { RateLimitModel } from "./models.js";
import { objectId } from "./object-id.js";

/** Describes a principal's hourly limit for the graph. */
export function describeLimit(
  state: RateLimitState,
  of: Pick<Principal, "id" | "tier">,
  { request }: Context,
): RateLimitModel {
  return { ...state, of, resetAt: new Date(resetSecond(state, request.now) * 1_000) };
}

/** Returns true for the organization for which the caller acts. */
export const isActive = ({ id }: Pick<Principal["organization"], "id">, context: Context): boolean =>
  id === requireAccess(context).principal.organization.id;

/** The caller's organization and hourly limit, which require no scope. */
export const key = {
  Query: {
    organization: (_parent, _args, context) => requireAccess(context).principal.organization,
    async rateLimit(_parent, _args, context) {
      const { principal, rateLimit } = requireAccess(context);
      return describeLimit(await rateLimit, principal, context);
    },
  },
  Organization: {
    callerScopes: (organization, _args, context) =>
      isActive(organization, context) ? [...requireAccess(context).principal.scopes] : [],
    async latestRecord(organization, _args, context) {
      const { principal, loaders } = requireAccess(context);
      if (!isActive(organization, context) || !satisfies(principal.scopes, [["read:emissions"]])) return null;
      const { now } = context.request;
      const range = { from: recordedDays(now).from, to: isoDate(now) };
      return (await loaders.emissions({ range, filter: {} })).latestRecord;
    },
  },
  RateLimit: {
    id: ({ of }, _args, context) => objectId(context, "RateLimit", of.id),
    tier: ({ of }) => of.tier,
  },
} satisfies Resolvers;
