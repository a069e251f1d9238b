import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { addDomain, checkDomain, removeDomain } from "../../../actions/domains/change-domains.js";
import { countDomains, type DomainRow, listDomains } from "../../../data/domains/domains.js";
import { recordOf, statusOf } from "../../../domain/domains/domain-name.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";

export type DomainModel = DomainRow;

/** The organization's domains. */
export const domains = {
  Query: {
    domains(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "domains",
        parameters: [],
        read: (page) => listDomains(access.tenant, page),
        count: () => countDomains(access.tenant),
        toNode: itself,
      });
    },
  },

  Domain: {
    id: ({ domain }, _args, context) => objectId(context, "Domain", domain),
    record: ({ domain, token }) => recordOf(domain, token),
    status: statusOf,
  },

  Mutation: {
    addDomain: async (_parent, { input }, context) => ({
      domain: await addDomain(requireActorContext(context), input.domain),
    }),
    checkDomain: async (_parent, { input }, context) => ({
      domain: await checkDomain(requireActorContext(context), input.domain),
    }),
    removeDomain: async (_parent, { input }, context) => ({
      domain: await removeDomain(requireActorContext(context), input.domain),
    }),
  },
} satisfies Resolvers;
