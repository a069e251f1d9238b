import { type Access, type Context, requireAccess } from "../../context.js";
import {
  type AmountByScope,
  countFacilities,
  countRecords,
  listFacilities,
  listRecords,
  type RecordFilter,
} from "../../data/emissions.js";
import { subtractDecimals } from "../../domain/amounts.js";
import { EMISSION_SCOPES } from "../../domain/enums.js";
import { lastTwelveMonths, listPeriods, periodBefore } from "../../domain/window.js";
import type { EmissionRecordFilter, Resolvers } from "../../generated/resolvers.js";
import { readList, refuseArgument, requireRange, requireSize } from "../arguments.js";
import { itself, readConnection } from "../page.js";
import type { FacilityEmissionsParent } from "../parents.js";

const NOTHING = { co2eTonnes: 0, co2eTonnesExact: "0", recordCount: 0 };
const NOTHING_BY_SCOPE = { ...NOTHING, byScope: EMISSION_SCOPES.map((scope) => ({ scope, ...NOTHING })) };

export const emissions = {
  Query: {
    emissions: (_parent, { range }, context) =>
      range
        ? { ...requireRange("range", range), isDefault: false }
        : { ...lastTwelveMonths(context.request.now), isDefault: true },
  },
  Emissions: {
    totalCo2eTonnes: async (range, _args, context) => (await totals(range, context)).co2eTonnes,
    totalCo2eTonnesExact: async (range, _args, context) => (await totals(range, context)).co2eTonnesExact,
    recordCount: async (range, _args, context) => (await totals(range, context)).recordCount,
    latestRecord: async (range, _args, context) => (await totals(range, context)).latestRecord,
    byScope: async (range, _args, context) => (await totals(range, context)).byScope,

    async trend(range, { step }, context) {
      const found = await requireAccess(context).loaders.trend(range, step);
      const amounts = new Map(found.map((amount) => [amount.start, amount]));
      return listPeriods(range, step).map(({ start, from, to }) => ({
        ...(amounts.get(start) ?? NOTHING_BY_SCOPE),
        from,
        to,
      }));
    },

    async change(range, _args, context) {
      const before = periodBefore(range);
      const [now, previous] = await Promise.all([totals(range, context), totals(before, context)]);
      const exact = subtractDecimals(now.co2eTonnesExact, previous.co2eTonnesExact);
      return {
        previousFrom: before.from,
        previousTo: before.to,
        previousCo2eTonnes: previous.co2eTonnes,
        co2eTonnes: Number(exact),
        co2eTonnesExact: exact,
        percent: previous.co2eTonnes === 0 ? null : (100 * Number(exact)) / previous.co2eTonnes,
      };
    },

    async byFacility(range, { first }, context) {
      const { loaders } = requireAccess(context);
      const found = await loaders.largestFacilities(range, requireSize("first", first));
      return found.map((amount) => ({ range, facility: amount.facilityId, amount }));
    },

    byCategory: (range, { first }, context) =>
      requireAccess(context).loaders.largestCategories(range, requireSize("first", first)),

    facilities(range, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "facilities",
        parameters: [],
        read: (page) => listFacilities(access.tenant, page),
        count: () => countFacilities(access.tenant),
        toNode: (facility) => ({ range, facility }),
      });
    },

    async records({ from, to, isDefault }, { filter, order, ...args }, context) {
      const access = requireAccess(context);
      const range = { from, to };
      const wanted = await readFilter(filter, access);
      return readConnection(access, args, {
        name: "records",
        // A cursor of the window that moves stays good when it moves.
        parameters: [isDefault ? "last 12 months" : range, wanted, order],
        read: (page) =>
          listRecords(access.tenant, { range, filter: wanted, descending: order === "desc" }, page),
        count: () => countRecords(access.tenant, range, wanted),
        toNode: itself,
      });
    },
  },

  FacilityEmissions: {
    facility: ({ facility }, _args, context) =>
      typeof facility === "string" ? requireAccess(context).loaders.facility(facility) : facility,
    co2eTonnes: async (parent, _args, context) => (await amountOf(parent, context)).co2eTonnes,
    co2eTonnesExact: async (parent, _args, context) => (await amountOf(parent, context)).co2eTonnesExact,
    recordCount: async (parent, _args, context) => (await amountOf(parent, context)).recordCount,
    byScope: async (parent, _args, context) => (await amountOf(parent, context)).byScope,
  },

  EmissionRecord: {
    co2eTonnes: ({ co2eTonnesExact }) => Number(co2eTonnesExact),
    facility: ({ facilityId }, _args, context) =>
      facilityId === null ? null : requireAccess(context).loaders.facility(facilityId),
  },
} satisfies Resolvers;

function totals({ from, to }: { from: string; to: string }, context: Context) {
  return requireAccess(context).loaders.emissions({ from, to });
}

async function amountOf(
  { range, facility, amount }: FacilityEmissionsParent,
  context: Context,
): Promise<AmountByScope> {
  if (amount) return amount;
  const id = typeof facility === "string" ? facility : facility?.id;
  const found = id && (await requireAccess(context).loaders.emissionsOfFacility(range, id));
  return found || NOTHING_BY_SCOPE;
}

/** Throws where a facility is not the tenant's, which looks the same whether it is somebody else's or nobody's. */
async function readFilter(
  filter: EmissionRecordFilter | null | undefined,
  { loaders }: Access,
): Promise<RecordFilter> {
  // UUIDs may be written in either case; the database's are in lower case.
  const ids = filter?.facilityIds?.map((id) => id.toLowerCase());
  const facilityIds = readList("filter.facilityIds", ids);
  const found = await Promise.all((facilityIds ?? []).map((id) => loaders.facility(id)));
  const unknown = found.indexOf(null);
  if (unknown >= 0) {
    throw refuseArgument("filter.facilityIds", `there is no facility ${facilityIds?.[unknown]}`);
  }
  return {
    scopes: readList("filter.scopes", filter?.scopes),
    facilityIds,
    categories: readList("filter.categories", filter?.categories),
  };
}
