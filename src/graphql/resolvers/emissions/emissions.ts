import { type Context, requireAccess } from "../../../access/context.js";
import { listEmissionContributions } from "../../../actions/emissions/contributions.js";
import type { Breakdown, RecordsToSum } from "../../../data/emissions/select-sums.js";
import type { AmountByScope, PeriodAmount } from "../../../data/emissions/sums.js";
import { countFacilities, listFacilities } from "../../../data/facilities/facilities.js";
import { percentOf, subtractDecimals } from "../../../domain/decimals.js";
import { EMISSION_SCOPES } from "../../../domain/enums.js";
import {
  isWholeMonths,
  lastTwelveMonths,
  listPeriods,
  periodBefore,
  sameDaysBefore,
  type TrendStep,
} from "../../../domain/window.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { readList, refuseArgument, requireRange, requireSize } from "../../paging/arguments.js";
import { readConnection } from "../../paging/page.js";
import type { FacilityEmissionsModel, PartEmissions } from "../models.js";
import { objectId } from "../object-id.js";
import { intersectFilters, readRecordFilter } from "./filter.js";
import { readRecords } from "./records.js";

const NOTHING = { co2eTonnes: 0, co2eTonnesExact: "0", recordCount: 0 };
const NOTHING_BY_SCOPE = { ...NOTHING, byScope: EMISSION_SCOPES.map((scope) => ({ scope, ...NOTHING })) };

export const emissions = {
  Query: {
    async emissions(_parent, { range, filter }, context) {
      const wanted = range ? requireRange("range", range) : lastTwelveMonths(context.request.now);
      return {
        range: wanted,
        filter: filter ? await readRecordFilter("filter", filter, requireAccess(context)) : {},
        isDefault: !range,
      };
    },
  },
  Emissions: {
    id: ({ range, filter, isDefault }, _args, context) =>
      objectId(context, "Emissions", range, filter, isDefault),
    from: ({ range }) => range.from,
    to: ({ range }) => range.to,
    totalCo2eTonnes: async (parent, _args, context) => (await totals(parent, context)).co2eTonnes,
    totalCo2eTonnesExact: async (parent, _args, context) => (await totals(parent, context)).co2eTonnesExact,
    recordCount: async (parent, _args, context) => (await totals(parent, context)).recordCount,
    latestRecord: async (parent, _args, context) => (await totals(parent, context)).latestRecord,
    byScope: async (parent, _args, context) =>
      figuresOf(summedOf(parent), (await totals(parent, context)).byScope),

    async trend(parent, { step }, context) {
      const summed = summedOf(parent);
      return fillTrend(summed, summed, step, await requireAccess(context).loaders.trend(summed, step));
    },

    async change({ range, filter }, { from }, context) {
      const before = from === "year_before" ? sameDaysBefore(range) : periodBefore(range);
      const [now, previous] = await Promise.all([
        totals({ range, filter }, context),
        totals({ range: before, filter }, context),
      ]);
      const exact = subtractDecimals(now.co2eTonnesExact, previous.co2eTonnesExact);
      return {
        of: { range, filter, before },
        previousFrom: before.from,
        previousTo: before.to,
        previousCo2eTonnes: previous.co2eTonnes,
        co2eTonnes: Number(exact),
        co2eTonnesExact: exact,
        percent: percentOf(exact, previous.co2eTonnesExact),
      };
    },

    byFacility: (parent, { first }, context) => largestFacilities(summedOf(parent), first, context),
    byCategory: (parent, { first }, context) => largestParts(parent, "category", first, context),
    byCountry: (parent, { first }, context) => largestParts(parent, "country", first, context),

    async largestParts(parent, { by, first }, context) {
      const [parts, { co2eTonnesExact }] = await Promise.all([
        largestParts(parent, by, first, context),
        totals(parent, context),
      ]);
      const { loaders } = requireAccess(context);
      return Promise.all(
        parts.map(async (amount) => ({
          ...amount,
          of: [amount.summed, by, amount.part],
          // Sums contain the ids of facilities, not their codes.
          part:
            by === "facility" && amount.part
              ? ((await loaders.facility(amount.part))?.code ?? null)
              : amount.part,
          sharePercent: percentOf(amount.co2eTonnesExact, co2eTonnesExact, 2),
        })),
      );
    },

    facilityCount: (parent, _args, context) => countParts(parent, "facility", context),
    categoryCount: (parent, _args, context) => countParts(parent, "category", context),

    facility(_parent, { id, code }, context) {
      const { loaders } = requireAccess(context);
      if ((id == null) === (code == null)) {
        throw refuseArgument("code", `expected either id or code, got ${id == null ? "neither" : "both"}`);
      }
      if (id != null) return loaders.facility(id.toLowerCase());
      const [wanted = ""] = readList("code", [code]) ?? [];
      return loaders.facilityByCode(wanted ?? "");
    },

    facilities(parent, args, context) {
      const access = requireAccess(context);
      const summed = summedOf(parent);
      const { facilityIds = null, countries = null } = summed.filter;
      return readConnection(access, args, {
        name: "facilities",
        parameters: facilityIds || countries ? [facilityIds, countries] : [],
        read: (page) => listFacilities(access.tenant, { facilityIds, countries }, page),
        count: () => countFacilities(access.tenant, { facilityIds, countries }),
        toNode: (facility) => ({ summed, facility }),
      });
    },

    async records({ range, filter: ofAll, isDefault }, { filter: ofRecords, ...args }, context) {
      const access = requireAccess(context);
      const filter = intersectFilters(ofAll, await readRecordFilter("filter", ofRecords, access));
      const count = async () => (await totals({ range, filter }, context)).recordCount;
      // Keeps cursors valid when the window of the last 12 months moves.
      const parameters = [isDefault ? "last 12 months" : range, filter];
      return readRecords(context, { range, filter }, parameters, args, count);
    },
  },

  ScopeEmissions: { id: ({ of, scope }, _args, context) => objectId(context, "ScopeEmissions", of, scope) },
  EmissionChange: {
    id: ({ of }, _args, context) => objectId(context, "EmissionChange", of),
    async contributions({ of }, { by, first, likeForLike }, context) {
      const size = requireSize("first", first);
      const access = requireAccess(context);
      const { before, ...summed } = of;
      const { range } = summed;
      if (likeForLike && !isWholeMonths(range)) {
        const got = `${range.from} to ${range.to}`;
        throw refuseArgument("likeForLike", `expected a range of whole calendar months, got ${got}`);
      }
      const { largest } = await listEmissionContributions(access, summed, by, likeForLike, before);
      return figuresOf(of, largest.slice(0, size));
    },
  },
  RankedEmissions: { id: ({ of }, _args, context) => objectId(context, "RankedEmissions", of) },
  EmissionContribution: {
    id: ({ of, part }, _args, context) => objectId(context, "EmissionContribution", of, part.series),
    series: ({ part }) => part.series,
    facility: ({ part }) => part.facility ?? null,
    percent: ({ change, before }) => percentOf(change, before),
    previousCo2eTonnes: ({ before }) => Number(before),
    currentCo2eTonnes: ({ now }) => Number(now),
    co2eTonnes: ({ change }) => Number(change),
    co2eTonnesExact: ({ change }) => change,
  },
  EmissionPeriod: {
    id: ({ of, from }, _args, context) => objectId(context, "EmissionPeriod", of, from),
    isGap: ({ recordCount }) => recordCount === 0,
    byScope: ({ of, from, byScope }) => figuresOf([of, from], byScope),
  },

  FacilityEmissions: {
    id: (parent, _args, context) => objectId(context, "FacilityEmissions", facilityPart(parent)),
    facility: ({ facility }, _args, context) =>
      typeof facility === "string" ? requireAccess(context).loaders.facility(facility) : facility,
    co2eTonnes: async (parent, _args, context) => (await amountOf(parent, context)).co2eTonnes,
    co2eTonnesExact: async (parent, _args, context) => (await amountOf(parent, context)).co2eTonnesExact,
    recordCount: async (parent, _args, context) => (await amountOf(parent, context)).recordCount,
    byScope: async (parent, _args, context) =>
      figuresOf(facilityPart(parent), (await amountOf(parent, context)).byScope),
    trend: (parent, { step }, context) => trendOfPart(facilityPart(parent), "facility", step, context),
  },

  CategoryEmissions: {
    id: ({ summed, part }, _args, context) => objectId(context, "CategoryEmissions", summed, part),
    category: ({ part }) => part,
    byScope: ({ summed, part, byScope }) => figuresOf([summed, "category", part], byScope),
    trend: (parent, { step }, context) => trendOfPart(parent, "category", step, context),
  },

  CountryEmissions: {
    id: ({ summed, part }, _args, context) => objectId(context, "CountryEmissions", summed, part),
    country: ({ part }) => part,
    byScope: ({ summed, part, byScope }) => figuresOf([summed, "country", part], byScope),
    trend: (parent, { step }, context) => trendOfPart(parent, "country", step, context),
  },
} satisfies Resolvers;

/** Adds `of` to figures: the object they describe, from which their identifiers are derived. */
export function figuresOf<Item>(of: unknown, figures: readonly Item[]): (Item & { of: unknown })[] {
  return figures.map((figure) => ({ ...figure, of }));
}

/** Returns only the range and the filter, so that fields with the same ones share a statement. */
const summedOf = ({ range, filter }: RecordsToSum): RecordsToSum => ({ range, filter });

function totals(parent: RecordsToSum, context: Context) {
  return requireAccess(context).loaders.emissions(summedOf(parent));
}

/** Lists every step of a range with its amounts; all are zero for a step without records. */
function fillTrend(of: unknown, { range }: RecordsToSum, step: TrendStep, found: readonly PeriodAmount[]) {
  const amounts = new Map(found.map((amount) => [amount.start, amount]));
  return listPeriods(range, step).map(({ start, from, to }) => ({
    ...(amounts.get(start) ?? NOTHING_BY_SCOPE),
    from,
    to,
    of: [of, step],
  }));
}

/** Finds the facilities with the largest emissions. */
export async function largestFacilities(
  summed: RecordsToSum,
  first: number,
  context: Context,
): Promise<FacilityEmissionsModel[]> {
  const { loaders } = requireAccess(context);
  const found = await loaders.largestParts(summed, "facility", requireSize("first", first));
  return found.map((amount) => ({ summed, facility: amount.part, amount }));
}

async function largestParts(parent: RecordsToSum, by: Breakdown, first: number, context: Context) {
  const summed = summedOf(parent);
  const found = await requireAccess(context).loaders.largestParts(summed, by, requireSize("first", first));
  return found.map((amount) => ({ ...amount, summed }));
}

const countParts = (parent: RecordsToSum, by: Breakdown, context: Context) =>
  requireAccess(context).loaders.countParts(summedOf(parent), by);

async function trendOfPart(
  { summed, part }: Pick<PartEmissions, "summed" | "part">,
  by: Breakdown,
  step: TrendStep,
  context: Context,
) {
  const found = await requireAccess(context).loaders.trendOfPart(summed, by, step, part);
  return fillTrend([summed, by, part], summed, step, found);
}

function facilityPart({ summed, facility }: FacilityEmissionsModel) {
  return { summed, part: typeof facility === "string" ? facility : (facility?.id ?? null) };
}

async function amountOf(parent: FacilityEmissionsModel, context: Context): Promise<AmountByScope> {
  if (parent.amount) return parent.amount;
  const { summed, part } = facilityPart(parent);
  const found = await requireAccess(context).loaders.emissionsOfPart(summed, "facility", part);
  return found ?? NOTHING_BY_SCOPE;
}
