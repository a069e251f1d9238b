import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { saveEntity } from "../../../actions/inventory/save-entity.js";
import { countEntities, listEntities } from "../../../data/inventory/entities.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { floatOf } from "../floats.js";

export type {
  EntityRow as EntityModel,
  HoldingRow as EntityHoldingModel,
} from "../../../data/inventory/entities.js";

/** Companies in which the organization has a holding. */
export const entities = {
  Query: {
    entities(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "entities",
        parameters: [],
        read: (page) => listEntities(access.tenant, page),
        count: () => countEntities(access.tenant),
        toNode: itself,
      });
    },
  },

  Entity: {
    facilityCount: async ({ id }, _args, context) =>
      (await requireAccess(context).loaders.facilitiesOfEntity(id))?.count ?? 0,
  },
  EntityHolding: { equityShare: floatOf("equityShare") },

  Mutation: {
    saveEntity: async (_parent, { input: { expectedVersion, ...entity } }, context) => ({
      entity: await saveEntity(requireActorContext(context), entity, expectedVersion),
    }),
  },
} satisfies Resolvers;
