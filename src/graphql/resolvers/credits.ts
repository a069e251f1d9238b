import { type Context, requireAccess } from "../../access/context.js";
import {
  type BatchFilter,
  type CreditBalance,
  countBatches,
  countRetirements,
  listBatches,
  listRetirements,
  type RetirementFilter,
} from "../../data/credits/credits.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { limitList, readList, readNames, readRange, requireSafe, requireSize } from "../paging/arguments.js";
import { itself, readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";

const groups = (context: Context) => requireAccess(context).loaders.creditGroups();

/** The resolvers of a sum over all types and vintages: a SafeInt, and text with every digit. */
function sumOf(name: string, part: keyof CreditBalance) {
  const sum = async (context: Context) =>
    (await groups(context)).reduce((total, group) => total + group[part], 0n);
  return {
    [name]: async (_parent: unknown, _args: unknown, context: Context) =>
      requireSafe(name, await sum(context)),
    [`${name}Exact`]: async (_parent: unknown, _args: unknown, context: Context) =>
      String(await sum(context)),
  };
}

const creditTotals = {
  ...sumOf("availableCredits", "available"),
  ...sumOf("retiredCredits", "retired"),
  ...sumOf("issuedCredits", "issued"),
  ...sumOf("soldCredits", "sold"),
};

export const credits = {
  Query: { credits: () => ({}) },
  CreditPortfolio: {
    id: (_parent, _args, context) => objectId(context, "CreditPortfolio"),
    ...creditTotals,
    availableCount: async (_parent, _args, context) =>
      (await groups(context)).reduce((sum, group) => sum + group.availableBatchCount, 0),
    retiredCount: (_parent, _args, context) => requireAccess(context).loaders.retirementCount(),

    async byType(_parent, { first }, context) {
      const quantities = new Map<string, bigint>();
      for (const { creditType, available } of await groups(context)) {
        quantities.set(creditType, (quantities.get(creditType) ?? 0n) + available);
      }
      const available = [...quantities].filter(([, quantity]) => quantity > 0n);
      return limitList(available, first, context).map(([creditType, quantity]) => ({ creditType, quantity }));
    },
    byTypeAndVintage: async (_parent, { first }, context) => limitList(await groups(context), first, context),

    batches(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: BatchFilter = {
        creditTypes: readNames("filter.creditTypes", filter?.creditTypes),
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
        creditTypes: readNames("filter.creditTypes", filter?.creditTypes),
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

  CreditTypeQuantity: {
    id: ({ creditType }, _args, context) => objectId(context, "CreditTypeQuantity", creditType),
    quantity: ({ quantity }) => requireSafe("quantity", quantity),
    quantityExact: ({ quantity }) => String(quantity),
  },
  CreditTypeVintage: {
    id: ({ creditType, vintage }, _args, context) =>
      objectId(context, "CreditTypeVintage", creditType, vintage),
    issued: ({ issued }) => requireSafe("issued", issued),
    issuedExact: ({ issued }) => String(issued),
    sold: ({ sold }) => requireSafe("sold", sold),
    soldExact: ({ sold }) => String(sold),
    retired: ({ retired }) => requireSafe("retired", retired),
    retiredExact: ({ retired }) => String(retired),
    available: ({ available }) => requireSafe("available", available),
    availableExact: ({ available }) => String(available),
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
      if (batch === null) throw new Error(`a retirement's batch ${batchId} does not exist`);
      return batch;
    },
  },
} satisfies Resolvers;
