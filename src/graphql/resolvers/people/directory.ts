import { requireAccess } from "../../../access/context.js";
import { requirePersonContext } from "../../../actions/actor-context.js";
import { mapDirectoryGroup } from "../../../actions/directory/map-group.js";
import { countGroups, type GroupRow, listGroups } from "../../../data/directory/groups.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";

export type DirectoryGroupModel = GroupRow;

/** Groups from the organization's directory. */
export const directory = {
  Query: {
    directoryGroups(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "directoryGroups",
        parameters: [],
        read: (page) => listGroups(access.tenant, page),
        count: () => countGroups(access.tenant),
        toNode: itself,
      });
    },
  },

  Mutation: {
    mapDirectoryGroup: async (_parent, { input: { id, role, expectedVersion } }, context) => ({
      directoryGroup: await mapDirectoryGroup(requirePersonContext(context), id, role, expectedVersion),
    }),
  },
} satisfies Resolvers;
