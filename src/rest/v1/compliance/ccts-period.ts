import { z } from "zod";
import { graphql, type PeriodFieldsFragment } from "../../../generated/operations.js";

const exact = z.string().meta({ description: "The same with every digit." });

/** The shape of a financial year of an entity. */
export const periodShape = z
  .object({
    id: z.uuid(),
    entity: z.string(),
    financial_year: z.string(),
    target_gei: z.number().meta({ description: "Tonnes of CO2 equivalent per unit of output." }),
    target_gei_exact: exact,
    target_source_url: z.url(),
    achieved_gei: z.number().meta({ description: "Tonnes of CO2 equivalent per unit of output." }),
    achieved_gei_exact: exact,
    output: z.number().meta({ description: "Equivalent output, in the unit of the target." }),
    output_exact: exact,
    average_price: z.number().nullable().meta({ description: "Of the cycle, in rupees per certificate." }),
    average_price_exact: exact.nullable(),
    surplus: z
      .number()
      .meta({ description: "Tonnes of CO2 equivalent below the target, or (negative) above it." }),
    surplus_exact: exact,
    to_issue: z.int().meta({ description: "Certificates: the surplus, rounded down." }),
    to_surrender: z.int().meta({ description: "Certificates: the shortfall, rounded up." }),
    surrendered: z.int(),
    compensation: z
      .number()
      .nullable()
      .meta({ description: "Rupees: 2 × `average_price` × certificates that are not surrendered." }),
    compensation_exact: exact.nullable(),
    compensation_message: z.string().nullable().meta({ description: "Why `compensation` is null." }),
    version: z.int(),
  })
  .meta({ id: "CctsPeriod" });

type Period = z.infer<typeof periodShape>;

export const PERIOD_EXAMPLE: Period = {
  id: "0c2b5e41-6a1f-4b8e-9d3e-7c9a3a520d6b",
  entity: "Acme Smelter",
  financial_year: "2025-26",
  target_gei: 13.226,
  target_gei_exact: "13.226",
  target_source_url: "https://moef.gov.in/",
  achieved_gei: 13.3111,
  achieved_gei_exact: "13.3111",
  output: 450_000,
  output_exact: "450000",
  average_price: null,
  average_price_exact: null,
  surplus: -38_295,
  surplus_exact: "-38295",
  to_issue: 0,
  to_surrender: 38_295,
  surrendered: 0,
  compensation: null,
  compensation_exact: null,
  compensation_message: "No average price of the cycle is recorded.",
  version: 1,
};

graphql(`
  fragment PeriodFields on CctsPeriod {
    id entity financialYear targetGei targetGeiExact targetSourceUrl achievedGei achievedGeiExact output
    outputExact averagePrice averagePriceExact surplus surplusExact toIssue toSurrender surrendered
    compensation compensationExact compensationMessage version
  }
`);

/** A period of the graph in REST's spelling. */
export const describePeriod = (period: PeriodFieldsFragment): Period => ({
  id: period.id,
  entity: period.entity,
  financial_year: period.financialYear,
  target_gei: period.targetGei,
  target_gei_exact: period.targetGeiExact,
  target_source_url: period.targetSourceUrl,
  achieved_gei: period.achievedGei,
  achieved_gei_exact: period.achievedGeiExact,
  output: period.output,
  output_exact: period.outputExact,
  average_price: period.averagePrice ?? null,
  average_price_exact: period.averagePriceExact ?? null,
  surplus: period.surplus,
  surplus_exact: period.surplusExact,
  to_issue: period.toIssue,
  to_surrender: period.toSurrender,
  surrendered: period.surrendered,
  compensation: period.compensation ?? null,
  compensation_exact: period.compensationExact ?? null,
  compensation_message: period.compensationMessage ?? null,
  version: period.version,
});
