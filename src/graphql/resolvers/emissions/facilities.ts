import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { changeFacility, createFacility } from "../../../actions/facilities/change-facilities.js";
import { countFacilities, listFacilities } from "../../../data/facilities/facilities.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireNoNul } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";

/** The organization's facilities. */
export const facilities = {
  Query: {
    facilities(_parent, { search, includeArchived, ...args }, context) {
      const access = requireAccess(context);
      requireNoNul("search", search);
      const wanted = { search, areOpen: !includeArchived };
      return readConnection(access, args, {
        name: "allFacilities",
        parameters: [wanted],
        read: (page) => listFacilities(access.tenant, wanted, page),
        count: () => countFacilities(access.tenant, wanted),
        toNode: itself,
      });
    },
    facility: (_parent, { id }, context) => requireAccess(context).loaders.facility(id.toLowerCase()),
  },

  Mutation: {
    createFacility: (_parent, { input }, context) => createFacility(requireActorContext(context), input),
    updateFacility: async (_parent, { input: { id, expectedVersion, ...changes } }, context) => ({
      facility: await changeFacility(requireActorContext(context), id, changes, expectedVersion),
    }),
    archiveFacility: async (_parent, { input: { id, expectedVersion } }, context) => ({
      facility: await changeFacility(requireActorContext(context), id, { isArchived: true }, expectedVersion),
    }),
  },
} satisfies Resolvers;
