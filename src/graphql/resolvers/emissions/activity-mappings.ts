import { requireAccess } from "../../../access/context.js";
import { type ActorContext, requireActorContext } from "../../../actions/actor-context.js";
import { deleteMapping } from "../../../actions/mappings/delete-mapping.js";
import { type MappingWriter, setMappings } from "../../../actions/mappings/set-mappings.js";
import { countMappings, findMapping, listMappings } from "../../../data/mappings/mappings.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireNoNul } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";

const writerOf = ({ writer, now }: ActorContext): MappingWriter => ({
  writer,
  organizationId: writer.organizationId,
  now,
});

/** The organization's mappings from activity texts to emission factors. */
export const activityMappings = {
  Query: {
    activityMappings(_parent, { search, ...args }, context) {
      const access = requireAccess(context);
      requireNoNul("search", search);
      return readConnection(access, args, {
        name: "activityMappings",
        parameters: [search],
        read: (page) => listMappings(access.tenant, search, page),
        count: () => countMappings(access.tenant, search),
        toNode: itself,
      });
    },
    activityMapping: (_parent, { id }, context) => findMapping(requireAccess(context).tenant, id),
  },

  ActivityMapping: {
    createdById: ({ createdBy }) => createdBy,
    factor: ({ factorId }, _args, context) => requireAccess(context).loaders.factor(factorId),
    recordCount: async ({ id }, _args, context) =>
      (await requireAccess(context).loaders.recordsOfMapping(id))?.count ?? 0,
  },

  Mutation: {
    async setActivityMappings(_parent, { input }, context) {
      const caller = requireActorContext(context);
      return { mappings: await setMappings(caller.resources.database, writerOf(caller), input) };
    },
    async deleteActivityMapping(_parent, { input: { id, expectedVersion } }, context) {
      const caller = requireActorContext(context);
      return {
        mapping: await deleteMapping(caller.resources.database, writerOf(caller), id, expectedVersion),
      };
    },
  },
} satisfies Resolvers;
