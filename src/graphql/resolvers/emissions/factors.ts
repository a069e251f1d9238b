import { requireAccess } from "../../../access/context.js";
import { requireActing } from "../../../actions/acting.js";
import { calculateActivities } from "../../../actions/factors/calculate.js";
import { createFactor } from "../../../actions/factors/create-factor.js";
import { countFactors, type FactorFilter, findFactor, listFactors } from "../../../data/factors/factors.js";
import { readUnit } from "../../../domain/ghg/units.js";
import { MOST_PAGE_SIZE } from "../../../domain/page.js";
import { AppError } from "../../../errors.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { regionCodeOf } from "../../../regions/regions.js";
import { refuseArgument, requireNoNul } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";

export const factors = {
  Query: {
    emissionFactors(_parent, { search, region, scope, unit, year, ...args }, context) {
      const access = requireAccess(context);
      requireNoNul("unit", unit);
      const wanted: FactorFilter = { search, region, scope, unit: unit ? readUnit(unit) : null, year };
      return readConnection(access, args, {
        name: "emissionFactors",
        parameters: [wanted],
        read: (page) => listFactors(access.tenant, wanted, page),
        count: () => countFactors(access.tenant, wanted),
        toNode: itself,
      });
    },
    emissionFactor: (_parent, { id }, context) => findFactor(requireAccess(context).tenant, id),
    async calculate(_parent, { items }, context) {
      if (items.length < 1 || items.length > MOST_PAGE_SIZE) {
        throw refuseArgument("items", `expected 1 to ${MOST_PAGE_SIZE}, got ${items.length}`);
      }
      const year = context.request.now.getUTCFullYear();
      const calculated = await calculateActivities(requireAccess(context).tenant, items, year);
      // graphql would throw an Error that is a value.
      const results = calculated.map((one) =>
        one instanceof AppError
          ? { calculation: null, error: { code: one.code, message: one.message } }
          : { calculation: one, error: null },
      );
      return { results };
    },
  },
  Mutation: {
    createEmissionFactor: (_parent, { input }, context) => createFactor(requireActing(context), input),
  },
  FactorSelector: { id: (selector, _args, context) => objectId(context, "FactorSelector", selector) },
  EmissionFactor: {
    isVerified: ({ verified }) => verified,
    regionCode: ({ region }) => regionCodeOf(region),
  },
  Calculation: {
    id: (calculation, _args, context) => objectId(context, "Calculation", calculation),
    co2eKg: ({ kg }) => Number(kg),
    co2eKgExact: ({ kg }) => kg,
    co2eTonnes: ({ tonnes }) => Number(tonnes),
    co2eTonnesExact: ({ tonnes }) => tonnes,
  },
} satisfies Resolvers;
