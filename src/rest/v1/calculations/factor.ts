import { z } from "zod";
import { EMISSION_SCOPES, type EmissionScope } from "../../../domain/enums.js";
import { type FactorFieldsFragment, graphql } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";

export const scopeShape = z.enum(EMISSION_SCOPES);

/** A scope as the graph spells it. */
export const upperCase = (scope: EmissionScope) => scope.toUpperCase() as Uppercase<EmissionScope>;

/** The shape of an emission factor. */
export const factorShape = z
  .object({
    id: z.uuid(),
    activity: z.string(),
    other_name: z.string().nullable().meta({ description: "Another name by which the activity is found." }),
    detail: z
      .string()
      .nullable()
      .meta({ description: "What tells the factor apart from others of the same activity." }),
    region: z.string(),
    scope: scopeShape,
    category: z.string(),
    gas: z.string().meta({ description: "`CO2e`, or the only gas that the factor counts, such as `CO2`." }),
    factor: z.number().meta({ description: "Kilograms of the gas per `unit`." }),
    factor_exact: z.string().meta({ description: "The same with every digit." }),
    unit: z.string(),
    source: z.string().meta({ description: "Title of the publication." }),
    source_url: z.url(),
    source_year: z.int(),
    source_factor_id: z
      .string()
      .nullable()
      .meta({ description: "The publication's own identifier of the factor." }),
    verified: z.boolean().meta({ description: "Whether the figure was read in its publication." }),
    is_own: z.boolean().meta({ description: "Whether it is the organization's own." }),
  })
  .meta({ id: "EmissionFactor" });

export const FACTOR_EXAMPLE: z.infer<typeof factorShape> = {
  id: "9b3b9d0c-3f0e-4c1c-a2f6-2d7c0b1e8a55",
  activity: "Natural gas",
  other_name: null,
  detail: null,
  region: "UK",
  scope: "scope_1",
  category: "stationary_combustion",
  gas: "CO2e",
  factor: 0.18296,
  factor_exact: "0.18296",
  unit: "kWh (gross CV)",
  source: "UK DESNZ, Greenhouse gas reporting: conversion factors 2025 (version 1, 10 June 2025)",
  source_url: "https://www.gov.uk/government/publications/greenhouse-gas-reporting-conversion-factors-2025",
  source_year: 2025,
  source_factor_id: "1_100_1004_6_1",
  verified: true,
  is_own: false,
};

graphql(`
  fragment FactorFields on EmissionFactor {
    id activity otherName detail region scope category gas factor factorExact unit source sourceUrl
    sourceYear sourceFactorId verified isOwn
  }
`);

/** A factor of the graph in REST's spelling. */
export const describeFactor = (factor: FactorFieldsFragment): z.infer<typeof factorShape> => ({
  id: factor.id,
  activity: factor.activity,
  other_name: factor.otherName ?? null,
  detail: factor.detail ?? null,
  region: factor.region,
  scope: lowerCase(factor.scope),
  category: factor.category,
  gas: factor.gas,
  factor: factor.factor,
  factor_exact: factor.factorExact,
  unit: factor.unit,
  source: factor.source,
  source_url: factor.sourceUrl,
  source_year: factor.sourceYear,
  source_factor_id: factor.sourceFactorId ?? null,
  verified: factor.verified,
  is_own: factor.isOwn,
});
