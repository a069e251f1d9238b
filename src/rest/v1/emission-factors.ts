import { z } from "zod";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { describeFactor, FACTOR_EXAMPLE, factorShape, scopeShape, upperCase } from "./factor.js";
import { listQuery, nextCursor, pageOf, pageShape } from "./list.js";

const filters = {
  search: z.string().meta({ description: "Only activities one of whose names contains this text." }),
  region: z.string().meta({ description: "Only factors of this region, in any case." }),
  scope: scopeShape,
  unit: z.string().meta({ description: "Only factors that an amount in this unit can be calculated with." }),
  year: z
    .string()
    .refine((text) => /^\d{4}$/.test(text), "expected a year of four digits")
    .meta({ type: "integer", description: "Only factors of publications of this year." }),
};

/** The emission factors that calculations use. */
export const emissionFactors = endpoint({
  path: "/emission-factors",
  summary: "Emission factors, by activity and region: those of publications, and the organization's own",
  scope: "read:emissions",
  operation: graphql(`
    query RestEmissionFactors(
      $search: String, $region: String, $scope: EmissionScope, $unit: String, $year: Int, $first: Int, $after: String
    ) {
      emissionFactors(
        search: $search, region: $region, scope: $scope, unit: $unit, year: $year, first: $first, after: $after
      ) {
        nodes {
          id activity otherName detail region scope category gas factor factorExact unit
          source sourceUrl sourceYear sourceFactorId verified isOwn
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  `),
  query: listQuery.extend(z.object(filters).partial().shape),
  variables: ({ query: { search, region, scope, unit, year, ...page } }) => ({
    ...{ search, region, unit },
    scope: scope && upperCase(scope),
    year: year === undefined ? undefined : Number(year),
    ...pageOf(page),
  }),
  data: pageShape("EmissionFactors", factorShape),
  example: { items: [FACTOR_EXAMPLE], next_cursor: null },
  reshape: ({ emissionFactors: { nodes, pageInfo } }) => ({
    items: nodes.map(describeFactor),
    next_cursor: nextCursor(pageInfo),
  }),
});
