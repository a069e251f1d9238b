import { z } from "zod";
import { type CalculationFieldsFragment, graphql } from "../../../generated/operations.js";
import { describeFactor, FACTOR_EXAMPLE, factorShape } from "./factor.js";

/** The shape of a calculation. */
export const calculationShape = z
  .object({
    co2e_kg: z.number(),
    co2e_kg_exact: z.string().meta({ description: "Unrounded; with 20 decimals if the figure has no end." }),
    co2e_tonnes: z.number(),
    co2e_tonnes_exact: z.string().meta({ description: "Rounded half away from zero to 6 decimals." }),
    formula: z.string(),
    factor: factorShape.nullable(),
    reason: z.string().meta({ description: "Why this factor." }),
    notices: z.array(z.enum(["FACTOR_NEWER_THAN_ACTIVITY", "CO2_ONLY"])),
  })
  .meta({ id: "Calculation" });

export const CALCULATION_EXAMPLE: z.infer<typeof calculationShape> = {
  co2e_kg: 2195.52,
  co2e_kg_exact: "2195.52",
  co2e_tonnes: 2.19552,
  co2e_tonnes_exact: "2.19552",
  formula: "12000 kWh (gross CV) × 0.18296 kg CO2e per kWh (gross CV) = 2195.52 kg CO2e",
  factor: FACTOR_EXAMPLE,
  reason: "the latest up to 2025, of Natural gas in UK",
  notices: [],
};

graphql(`
  fragment CalculationFields on Calculation {
    co2eKg co2eKgExact co2eTonnes co2eTonnesExact formula reason notices factor { ...FactorFields }
  }
`);

/** A calculation of the graph in REST's spelling. */
export const describeCalculation = (
  calculation: CalculationFieldsFragment,
): z.infer<typeof calculationShape> => ({
  co2e_kg: calculation.co2eKg,
  co2e_kg_exact: calculation.co2eKgExact,
  co2e_tonnes: calculation.co2eTonnes,
  co2e_tonnes_exact: calculation.co2eTonnesExact,
  formula: calculation.formula,
  factor: calculation.factor ? describeFactor(calculation.factor) : null,
  reason: calculation.reason,
  notices: [...calculation.notices],
});
