import { type Context, requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { changeRecord, deleteRecord } from "../../../actions/emissions/change-record.js";
import { createRecords } from "../../../actions/emissions/create-records.js";
import { deleteRecords } from "../../../actions/emissions/delete-records.js";
import { countRecords, findRecord, listRecords, type RecordSearch } from "../../../data/emissions/records.js";
import type { EmissionRecordOrder, OrderDirection } from "../../../domain/enums.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { refuseArgument } from "../../paging/arguments.js";
import { itself, type PageArguments, readConnection } from "../../paging/page.js";
import { floatOf } from "../floats.js";
import { objectId } from "../object-id.js";
import { readRecordSearch } from "./filter.js";

/** Maximum number of records to sort by amount, which takes about 0.1 seconds. */
const MAX_SORTED = 100_000;

/** Arguments of a page of records. */
export interface RecordsArguments extends PageArguments {
  readonly orderBy: EmissionRecordOrder;
  readonly order: OrderDirection;
}

/** Reads a page of records. `parameters` identifies the list for cursors. */
export async function readRecords(
  context: Context,
  wanted: RecordSearch,
  parameters: readonly unknown[],
  { orderBy, order, ...args }: RecordsArguments,
  count: () => Promise<number>,
) {
  const access = requireAccess(context);
  if (orderBy === "co2e_tonnes" && (await count()) > MAX_SORTED) {
    throw refuseArgument(
      "orderBy",
      `expected at most ${MAX_SORTED} records to sort by amount, got ${await count()}. Use a shorter range or a narrower filter.`,
    );
  }
  return readConnection(access, args, {
    name: "records",
    parameters: [...parameters, orderBy, order],
    read: (page) =>
      listRecords(access.tenant, { ...wanted, by: orderBy, descending: order === "desc" }, page),
    count,
    toNode: itself,
  });
}

/** Individual emission records. */
export const records = {
  Query: {
    async emissionRecords(_parent, { range, filter, search, ...args }, context) {
      const access = requireAccess(context);
      const wanted = await readRecordSearch({ range, filter, search }, access);
      const count = () =>
        access.loaders.shared(["countRecords", wanted], () => countRecords(access.tenant, wanted));
      return readRecords(context, wanted, [wanted], args, count);
    },
    emissionRecord: (_parent, { id }, context) => findRecord(requireAccess(context).tenant, id),
  },

  EmissionRecord: {
    createdById: ({ createdBy }) => createdBy,
    co2eTonnes: floatOf("co2eTonnes"),
    marketBasedTonnes: floatOf("marketBasedTonnes"),
    energyKwh: floatOf("energyKwh"),
    biogenicCo2Tonnes: floatOf("biogenicCo2Tonnes"),
    facility: ({ facilityId }, _args, context) =>
      facilityId === null ? null : requireAccess(context).loaders.facility(facilityId),
    activity: ({ activity }) => (activity === null ? null : JSON.parse(activity)),
    calculation: ({ calculation }) => (calculation === null ? null : JSON.parse(calculation)),
  },
  Activity: {
    id: (activity, _args, context) => objectId(context, "Activity", activity),
    amount: ({ amount }) => Number(amount),
    amountExact: ({ amount }) => amount,
  },

  Mutation: {
    createEmissionRecords: (_parent, { input, accept }, context) =>
      createRecords(requireActorContext(context), requireAccess(context).tenant, input, accept),
    async updateEmissionRecord(_parent, { input: { id, ...sent } }, context) {
      const { expectedVersion, accept, ...changes } = sent;
      const { tenant } = requireAccess(context);
      const conditions = { expectedVersion, accept };
      return {
        emissionRecord: await changeRecord(requireActorContext(context), tenant, id, changes, conditions),
      };
    },
    deleteEmissionRecord: async (_parent, { input: { id, reason, expectedVersion } }, context) => ({
      emissionRecord: await deleteRecord(requireActorContext(context), id, reason, expectedVersion),
    }),
    deleteEmissionRecords: async (_parent, { input: { recordIds, reason } }, context) => ({
      records: await deleteRecords(requireActorContext(context), recordIds, reason),
    }),
  },
} satisfies Resolvers;
