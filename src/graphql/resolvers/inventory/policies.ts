import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { setInventoryPolicy } from "../../../actions/inventory/set-policy.js";
import { listPolicies } from "../../../data/inventory/policies.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { floatOf } from "../floats.js";

export type { InventoryPolicy as InventoryPolicyModel } from "../../../domain/inventory/inventory.js";

/** The organization's inventory policies. */
export const inventoryPolicies = {
  Query: {
    inventoryPolicies: (_parent, _args, context) => listPolicies(requireAccess(context).tenant),
  },

  InventoryPolicy: {
    recalculationThresholdPercent: floatOf("recalculationThresholdPercent"),
  },

  Mutation: {
    setInventoryPolicy: async (_parent, { input }, context) => ({
      policy: await setInventoryPolicy(requireActorContext(context), input),
    }),
  },
} satisfies Resolvers;
