import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describeFactor, FACTOR_EXAMPLE, factorShape, scopeShape, upperCase } from "./factor.js";

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

const list = endpoint({
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
        nodes { ...FactorFields }
        pageInfo { hasNextPage endCursor }
      }
    }
  `),
  query: listQuery.extend(z.object(filters).partial().shape),
  variables: ({ query: { search, region, scope, unit, year, ...page } }) => ({
    search,
    region,
    unit,
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

const one = endpoint({
  path: "/emission-factors/{id}",
  summary: "An emission factor",
  scope: "read:emissions",
  operation: graphql(`
    query RestEmissionFactor($id: UUID!) {
      emissionFactor(id: $id) { ...FactorFields }
    }
  `),
  params: z.object({ id: uuidShape }),
  variables: ({ params }) => params,
  data: factorShape,
  example: FACTOR_EXAMPLE,
  reshape: ({ emissionFactor }) => describeFactor(emissionFactor),
});

const own = z.strictObject({
  activity: z
    .string()
    .meta({ description: "1 to 200 characters, as all texts but `source` and `source_url`." }),
  region: z.string(),
  scope: scopeShape,
  category: z.string().optional().meta({ description: "`other` if it is left out." }),
  gas: z
    .string()
    .optional()
    .meta({ description: "`CO2e`, which it is if it is left out, or `CO2` if it counts no other gas." }),
  factor: decimalShape("Kilograms of the gas per `unit`: 0 to 10^18 with at most 18 decimals."),
  unit: z.string().meta({ description: "Such as `kWh (gross CV)`." }),
  source: z.string().meta({ description: "At most 1,000 characters." }),
  source_url: z.url().meta({ description: "Of http or https, at most 2,000 characters." }),
  source_year: z.int32().meta({ description: "From 1900 to next year." }),
});

const create = endpoint({
  method: "POST",
  path: "/emission-factors",
  summary: "Adds an emission factor of the organization's own",
  scope: "write:emissions",
  operation: graphql(`
    mutation RestCreateEmissionFactor($input: EmissionFactorInput!) {
      createEmissionFactor(input: $input) {
        factor { ...FactorFields }
        isNew
      }
    }
  `),
  body: own,
  variables: ({ body: { scope, factor, source_url, source_year, ...texts } }) => ({
    input: {
      ...texts,
      scope: upperCase(scope),
      factor: String(factor),
      sourceUrl: source_url,
      sourceYear: source_year,
    },
  }),
  data: factorShape,
  example: { ...FACTOR_EXAMPLE, source: "Own measurements", source_factor_id: null, is_own: true },
  reshape: ({ createEmissionFactor: { factor } }) => describeFactor(factor),
  createdId: ({ id }, { createEmissionFactor: { isNew } }) => (isNew ? id : undefined),
  mayExist: true,
});

/** The emission factors that calculations use. */
export const emissionFactors = [list, create, one];
