import { type Context, requireAccess } from "../../access/context.js";
import { requireActorContext } from "../../actions/actor-context.js";
import { issueCredits } from "../../actions/credits/issue-credits.js";
import { retireCredits } from "../../actions/credits/retire-credits.js";
import { sellCredits } from "../../actions/credits/sell-credits.js";
import {
  type BatchFilter,
  type CreditBalance,
  countBatches,
  listBatches,
} from "../../data/credits/credits.js";
import {
  countRetirements,
  countSales,
  listRetirements,
  listSales,
  type MovementFilter,
} from "../../data/credits/movements.js";
import type { Resolvers } from "../../generated/resolvers.js";
import {
  limitList,
  readDate,
  readList,
  readNames,
  readRange,
  requireSafe,
  requireSize,
} from "../paging/arguments.js";
import { itself, readConnection } from "../paging/page.js";
import { objectId } from "./object-id.js";
import { requireRow } from "./require-row.js";

const loadersOf = (context: Context) => requireAccess(context).loaders;
const groups = (context: Context) => loadersOf(context).creditGroups();

const requireBatch = async (context: Context, id: string) =>
  requireRow(await loadersOf(context).batch(id), `batch ${id}`);

/** Creates two resolvers for a total over all types and vintages: a SafeInt, and a string with every digit. */
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
  Query: {
    credits: () => ({}),
    creditBatch: (_parent, { id }, context) => loadersOf(context).batch(id.toLowerCase()),
    creditSale: (_parent, { id }, context) => loadersOf(context).sale(id.toLowerCase()),
    creditRetirement: (_parent, { id }, context) => loadersOf(context).retirement(id.toLowerCase()),
  },
  CreditPortfolio: {
    id: (_parent, _args, context) => objectId(context, "CreditPortfolio"),
    ...creditTotals,
    availableCount: async (_parent, _args, context) =>
      (await groups(context)).reduce((sum, group) => sum + group.availableBatchCount, 0),
    retiredCount: (_parent, _args, context) => loadersOf(context).retirementCount(),

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
        available: filter?.hasAvailable ?? null,
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
      const wanted: MovementFilter = {
        creditTypes: readNames("filter.creditTypes", filter?.creditTypes),
        days: readRange("filter.retiredOn", filter?.retiredOn),
        batchIds: readNames("filter.batchIds", filter?.batchIds),
      };
      return readConnection(access, args, {
        name: "retirements",
        parameters: [wanted],
        read: (page) => listRetirements(access.tenant, wanted, page),
        count: () => countRetirements(access.tenant, wanted),
        toNode: itself,
      });
    },

    sales(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted: MovementFilter = {
        creditTypes: readNames("filter.creditTypes", filter?.creditTypes),
        days: readRange("filter.soldOn", filter?.soldOn),
        // Omitted if the caller does not filter, so that older cursors stay valid.
        ...(filter?.soldFrom != null && { from: readDate("filter.soldFrom", filter.soldFrom) }),
        ...(filter?.soldTo != null && { to: readDate("filter.soldTo", filter.soldTo) }),
        batchIds: readNames("filter.batchIds", filter?.batchIds),
      };
      return readConnection(access, args, {
        name: "sales",
        parameters: [wanted],
        read: (page) => listSales(access.tenant, wanted, page),
        count: () => countSales(access.tenant, wanted),
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
    sales: ({ id }, { first }, context) => loadersOf(context).salesOf(id, requireSize("first", first)),
    retirements: ({ id }, { first }, context) =>
      loadersOf(context).retirementsOf(id, requireSize("first", first)),
  },
  CreditSale: { batch: ({ batchId }, _args, context) => requireBatch(context, batchId) },
  CreditRetirement: { batch: ({ batchId }, _args, context) => requireBatch(context, batchId) },

  IssueCreditsPayload: { batch: ({ id }, _args, context) => requireBatch(context, id) },
  SellCreditsPayload: {
    sale: async ({ id }, _args, context) => requireRow(await loadersOf(context).sale(id), `sale ${id}`),
  },
  RetireCreditsPayload: {
    retirement: async ({ id }, _args, context) =>
      requireRow(await loadersOf(context).retirement(id), `retirement ${id}`),
  },

  Mutation: {
    issueCredits: (_parent, { input }, context) => issueCredits(requireActorContext(context), input),
    sellCredits: (_parent, { input }, context) => sellCredits(requireActorContext(context), input),
    retireCredits: (_parent, { input }, context) => retireCredits(requireActorContext(context), input),
  },
} satisfies Resolvers;
