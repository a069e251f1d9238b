import { z } from "zod";
import { MOST_PAGE_SIZE } from "../../../domain/page.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { activityShape, toActivity } from "./activity.js";
import { CALCULATION_EXAMPLE, calculationShape, describeCalculation } from "./calculation.js";

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
          calculation { ...CalculationFields }
          error { code message }
        }
      }
    }
  `),
  body: z.strictObject({ items: z.array(activityShape).min(1).max(MOST_PAGE_SIZE) }),
  variables: ({ body: { items } }) => ({ items: items.map(toActivity) }),
  data: z
    .object({ results: z.array(z.union([calculationShape, failureShape])) })
    .meta({ id: "Calculations" }),
  example: {
    results: [
      CALCULATION_EXAMPLE,
      {
        error: {
          code: "VALIDATION_FAILED",
          message: "expected exactly one of a factor's id, a selector and a gas",
        },
      },
    ],
  },
  reshape: ({ calculate: { results } }) => ({
    results: results.map(({ calculation, error }) =>
      calculation
        ? describeCalculation(calculation)
        : { error: { code: error?.code ?? "", message: error?.message ?? "" } },
    ),
  }),
});
