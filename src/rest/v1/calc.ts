import { z } from "zod";
import { DECIMAL_LIMITS, readDecimal } from "../../domain/amounts.js";
import { GWP_SETS } from "../../domain/gwp.js";
import { MOST_PAGE_SIZE } from "../../domain/page.js";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { describeFactor, FACTOR_EXAMPLE, factorShape, scopeShape, upperCase } from "./factor.js";

const amountShape = z
  .union([z.number(), z.string()])
  .refine((amount) => readDecimal(String(amount), DECIMAL_LIMITS) !== undefined, "expected a decimal")
  .meta({ description: "0 to 10^15 with at most 12 decimals; as text if digits could be lost." });

const itemShape = z
  .strictObject({
    amount: amountShape,
    unit: z.string().meta({ description: "Such as `kWh (gross CV)`, `litre` or `passenger.km`." }),
    factor_id: z.string().optional(),
    selector: z
      .strictObject({
        activity: z.string(),
        region: z.string(),
        year: z.int32().optional().meta({ description: "Year of the activity; this year if left out." }),
        scope: scopeShape.optional(),
        gas: z.string().optional(),
        allow_global: z.boolean().default(false),
      })
      .meta({ id: "FactorSelector" })
      .optional(),
    gas: z.string().optional().meta({ description: "A gas that was released, such as `CH4` or `R-410A`." }),
    gwp: z.enum(GWP_SETS).default("AR6"),
    fossil: z.boolean().optional().meta({ description: "For `CH4`; false if left out." }),
  })
  .meta({
    id: "Activity",
    description: "By exactly one of `factor_id`, `selector` and `gas`.",
  });

const resultShape = z
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

const failureShape = z
  .object({
    error: z.object({ code: z.string(), message: z.string() }).meta({ id: "CalculationProblem" }),
  })
  .meta({ id: "CalculationFailure" });

/** Calculates emissions, and stores nothing. */
export const calc = endpoint({
  method: "POST",
  path: "/calc/ghg",
  summary: "Emissions of 1 to 100 activities, in their order. One that cannot be calculated fails alone",
  scope: "read:emissions",
  operation: graphql(`
    query RestCalculate($items: [ActivityInput!]!) {
      calculate(items: $items) {
        results {
          calculation {
            co2eKg co2eKgExact co2eTonnes co2eTonnesExact formula reason notices
            factor {
              id activity otherName detail region scope category gas factor factorExact unit
              source sourceUrl sourceYear sourceFactorId verified isOwn
            }
          }
          error { code message }
        }
      }
    }
  `),
  body: z.strictObject({ items: z.array(itemShape).min(1).max(MOST_PAGE_SIZE) }),
  variables: ({ body: { items } }) => ({
    items: items.map(({ amount, factor_id, selector, ...item }) => ({
      ...item,
      amount: String(amount),
      factorId: factor_id,
      selector: selector && {
        ...{ activity: selector.activity, region: selector.region, year: selector.year, gas: selector.gas },
        scope: selector.scope && upperCase(selector.scope),
        allowGlobal: selector.allow_global,
      },
    })),
  }),
  data: z.object({ results: z.array(z.union([resultShape, failureShape])) }).meta({ id: "Calculations" }),
  example: {
    results: [
      {
        ...{ co2e_kg: 2195.52, co2e_kg_exact: "2195.52", co2e_tonnes: 2.19552, co2e_tonnes_exact: "2.19552" },
        formula: "12000 kWh (gross CV) × 0.18296 kg CO2e per kWh (gross CV) = 2195.52 kg CO2e",
        factor: FACTOR_EXAMPLE,
        reason: "the latest up to 2025, of Natural gas in UK",
        notices: [],
      },
      {
        error: {
          code: "VALIDATION_FAILED",
          message: "expected exactly one of a factor's id, a selector and a gas",
        },
      },
    ],
  },
  reshape: ({ calculate: { results } }) => ({
    results: results.map(({ calculation, error }) => {
      if (!calculation) return { error: { code: error?.code ?? "", message: error?.message ?? "" } };
      const { co2eKg, co2eKgExact, co2eTonnes, co2eTonnesExact, formula, factor, reason, notices } =
        calculation;
      return {
        ...{ co2e_kg: co2eKg, co2e_kg_exact: co2eKgExact },
        ...{ co2e_tonnes: co2eTonnes, co2e_tonnes_exact: co2eTonnesExact },
        formula,
        factor: factor ? describeFactor(factor) : null,
        reason,
        notices: [...notices],
      };
    }),
  }),
});
