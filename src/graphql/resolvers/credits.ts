import { type Context, requireAccess } from "../../context.js";
import {
  type BatchFilter,
  type CreditGroup,
  countBatches,
  countRetirements,
  listBatches,
  listRetirements,
  type RetirementFilter,
} from "../../data/credits.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { readList, readRange, requireSize } from "../arguments.js";
import { itself, readConnection } from "../page.js";

export const credits = {
  Query: { credits: () => ({}) },
  CreditPortfolio: {
    availableCredits: (_parent, _args, context) => total(context, ({ available }) => available),
    availableCount: (_parent, _args, context) =>
      total(context, ({ availableBatchCount }) => availableBatchCount),
    retiredCredits: (_parent, _args, context) => total(context, ({ retired }) => retired),
    issuedCredits: (_parent, _args, context) => total(context, ({ issued }) => issued),
    soldCredits: (_parent, _args, context) => total(context, ({ sold }) => sold),
    retiredCount: (_parent, _args, context) => requireAccess(context).loaders.retirementCount(),

    async byType(_parent, _args, context) {
      const quantities = new Map<string, number>();
      for (const { creditType, available } of await groups(context)) {
        quantities.set(creditType, (quantities.get(creditType) ?? 0) + available);
      }
      return [...quantities]
        .filter(([, quantity]) => quantity > 0)
        .map(([creditType, quantity]) => ({ creditType, quantity }));
    },
    byTypeAndVintage: (_parent, _args, context) => groups(context),

    batches(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: BatchFilter = {
        creditTypes: readList("filter.creditTypes", filter?.creditTypes),
        vintages: readList("filter.vintages", filter?.vintages),
        available: filter?.available ?? null,
      };
      return readConnection(access, args, {
        name: "batches",
        parameters: [wanted],
        read: (page) => listBatches(access.tenant, wanted, page),
        count: () => countBatches(access.tenant, wanted),
        toNode: itself,
      });
    },

    retirements(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: RetirementFilter = {
        creditTypes: readList("filter.creditTypes", filter?.creditTypes),
        retiredOn: readRange("filter.retiredOn", filter?.retiredOn),
      };
      return readConnection(access, args, {
        name: "retirements",
        parameters: [wanted],
        read: (page) => listRetirements(access.tenant, wanted, page),
        count: () => countRetirements(access.tenant, wanted),
        toNode: itself,
      });
    },
  },

  CreditBatch: {
    sales: ({ id }, { first }, context) =>
      requireAccess(context).loaders.salesOf(id, requireSize("first", first)),
    retirements: ({ id }, { first }, context) =>
      requireAccess(context).loaders.retirementsOf(id, requireSize("first", first)),
  },
  CreditRetirement: {
    async batch({ batchId }, _args, context) {
      const batch = await requireAccess(context).loaders.batch(batchId);
      if (batch === null) throw new Error(`the retirement's batch ${batchId} is gone`);
      return batch;
    },
  },
} satisfies Resolvers;

const groups = (context: Context) => requireAccess(context).loaders.creditGroups();

/** A sum over all types and vintages; the summands are whole numbers, and so is the sum up to 2^53 - 1. */
async function total(context: Context, pick: (group: CreditGroup) => number): Promise<number> {
  return (await groups(context)).reduce((sum, group) => sum + pick(group), 0);
}
