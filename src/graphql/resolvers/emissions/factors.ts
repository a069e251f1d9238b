import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { calculateActivities } from "../../../actions/factors/calculate.js";
import { createFactor } from "../../../actions/factors/create-factor.js";
import { findFactorsBySearch } from "../../../actions/factors/search/find-factors.js";
import { type FactorNode, MAX_RANKED, type Ranking } from "../../../actions/factors/search/search-factors.js";
import { describeFailure } from "../../../actions/factors/selection/selection-error.js";
import { countFactors, type FactorFilter, findFactor, listFactors } from "../../../data/factors/factors.js";
import { InvalidPosition, type Key, type Page, type PageRequest } from "../../../data/tenant/keyset.js";
import { readUnit } from "../../../domain/ghg/units.js";
import { isWithinLimit } from "../../../domain/texts/text-limits.js";
import { AppError } from "../../../errors.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { regionCodeOf } from "../../../regions/regions.js";
import { readDate, refuseArgument, requireNoNul, requireSize } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";

const MAX_SEARCH_LENGTH = 200;

export const factors = {
  Query: {
    async emissionFactors(_parent, args, context) {
      const access = requireAccess(context);
      const { search, on, preferRegion, region, scope, unit, year, category, ...page } = args;
      requireNoNul("unit", unit);
      const filter: FactorFilter = { region, scope, unit: unit ? readUnit(unit) : null, year, category };
      const list = {
        name: "emissionFactors",
        parameters: [search, on, preferRegion, filter],
        toNode: itself,
      };
      if (!search?.trim()) {
        return readConnection<FactorNode, FactorNode>(access, page, {
          ...list,
          read: (request) => listFactors(access.tenant, filter, request),
          count: () => countFactors(access.tenant, filter),
        });
      }
      requireShort(search);
      const ranking = await access.loaders.shared(["emissionFactors", ...list.parameters], () =>
        findFactorsBySearch(access, context.request, {
          ...filter,
          search,
          on: readDate("on", on),
          preferRegion,
        }),
      );
      return readConnection<FactorNode, FactorNode>(access, page, {
        ...list,
        read: async (request) => takeRanked(ranking, request),
        count: async () => ranking.count,
      });
    },
    emissionFactor: (_parent, { id }, context) => findFactor(requireAccess(context).tenant, id),
    async calculate(_parent, { items }, context) {
      requireSize("items", items.length);
      const year = context.request.now.getUTCFullYear();
      const calculated = await calculateActivities(requireAccess(context).tenant, items, year);
      // graphql would throw an Error returned as a value.
      const results = calculated.map((one) =>
        one instanceof AppError
          ? { calculation: null, error: describeFailure(one) }
          : { calculation: one, error: null },
      );
      return { results };
    },
  },
  Mutation: {
    createEmissionFactor: (_parent, { input }, context) => createFactor(requireActorContext(context), input),
  },
  EmissionFactor: {
    isVerified: ({ verified }) => verified,
    matched: ({ matched }) => matched ?? [],
    regionCode: ({ region }) => regionCodeOf(region),
  },
  FactorPublication: {
    id: (publication, _args, context) => objectId(context, "FactorPublication", publication),
    isChosen: ({ chosen }) => chosen,
  },
  CalculationError: {
    available: ({ available }) => available ?? [],
    nearest: ({ nearest }) => nearest ?? [],
    differBy: ({ differBy }) => differBy ?? [],
    candidates: ({ candidates }) => candidates ?? [],
  },
  FactorSelector: {
    id: (selector, _args, context) => objectId(context, "FactorSelector", selector),
    activity: ({ activity }) => activity ?? "",
    region: ({ region }) => region ?? "",
  },
  Calculation: {
    id: (calculation, _args, context) => objectId(context, "Calculation", calculation),
    precedence: ({ precedence }) => precedence ?? [],
    co2eKg: ({ kg }) => Number(kg),
    co2eKgExact: ({ kg }) => kg,
    co2eTonnes: ({ tonnes }) => Number(tonnes),
    co2eTonnesExact: ({ tonnes }) => tonnes,
  },
} satisfies Resolvers;

function requireShort(search: string): void {
  if (isWithinLimit(search, MAX_SEARCH_LENGTH)) return;
  throw refuseArgument(
    "search",
    `expected at most ${MAX_SEARCH_LENGTH} characters, got ${[...search].length}`,
  );
}

/** Returns a page of a ranking. The keys are ranks. */
function takeRanked(ranking: Ranking, { size, fromEnd, after, before }: PageRequest): Page<FactorNode> {
  const start = after === null ? 0 : readPosition("after", after) + 1;
  const end = before === null ? ranking.length : Math.min(readPosition("before", before), ranking.length);
  const first = fromEnd ? Math.max(start, end - size) : start;
  const rows = ranking.slice(first, Math.min(end, first + size));
  return {
    rows,
    keyAt: (index) => [String(first + index)],
    hasNextPage: fromEnd ? before !== null : first + rows.length < end,
    hasPreviousPage: fromEnd ? first > start : after !== null,
  };
}

function readPosition(end: "after" | "before", [position = "", ...others]: Key): number {
  if (others.length > 0 || !/^\d{1,3}$/.test(position) || Number(position) >= MAX_RANKED) {
    throw new InvalidPosition(end);
  }
  return Number(position);
}
