import { z } from "zod";
import { EMISSION_SCOPES } from "../../domain/enums.js";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { lowerCase } from "./lower-case.js";

export const emissions = endpoint({
  path: "/emissions",
  summary: "Emission KPIs of the last 12 months",
  scope: "read:emissions",
  operation: graphql(`
    query ExtEmissions {
      emissions { totalCo2eTonnes recordCount latestRecord byScope { scope co2eTonnes } }
    }
  `),
  data: z
    .object({
      period: z.literal("last_12_months").meta({ description: "The 12 months up to today." }),
      total_co2e_tonnes: z.number().meta({ description: "Sum of all scopes, tCO2e." }),
      record_count: z.int().meta({ description: "Number of records in the period." }),
      latest_record: z.iso
        .date()
        .nullable()
        .meta({ description: "Date of the latest record in the period." }),
      scope_breakdown: z.array(
        z
          .object({
            scope: z.enum(EMISSION_SCOPES).meta({ description: "Scope of the GHG Protocol." }),
            co2e_tonnes: z.number().meta({ description: "tCO2e." }),
          })
          .meta({ id: "ScopeEmissions" }),
      ),
    })
    .meta({ id: "Emissions" }),
  example: {
    period: "last_12_months",
    total_co2e_tonnes: 1234.5,
    record_count: 36,
    latest_record: "2026-10-31",
    scope_breakdown: [
      { scope: "scope_1", co2e_tonnes: 200.25 },
      { scope: "scope_2", co2e_tonnes: 734.25 },
      { scope: "scope_3", co2e_tonnes: 300 },
    ],
  },
  reshape: ({ emissions }) => ({
    period: "last_12_months",
    total_co2e_tonnes: emissions.totalCo2eTonnes,
    record_count: emissions.recordCount,
    latest_record: emissions.latestRecord ?? null,
    scope_breakdown: emissions.byScope.map(({ scope, co2eTonnes }) => ({
      scope: lowerCase(scope),
      co2e_tonnes: co2eTonnes,
    })),
  }),
});
