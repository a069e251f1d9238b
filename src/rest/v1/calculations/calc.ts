import { z } from "zod";
import { isDecimal } from "../../../catalogue/decimal.js";
import { MOST_PAGE_SIZE } from "../../../domain/page.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { show } from "../../problems.js";
import { activityShape, toActivity } from "./activity.js";
import { CALCULATION_EXAMPLE, calculationShape, describeCalculation } from "./calculation.js";

const failureShape = z
  .object({
    error: z.object({ code: z.string(), message: z.string() }).meta({ id: "CalculationProblem" }),
  })
  .meta({ id: "CalculationFailure" });

/** An activity whose amount may be no decimal: then it fails alone. */
const itemShape = activityShape
  .extend({
    amount: z
      .union([z.number(), z.string()], "expected a decimal")
      .meta(activityShape.shape.amount.meta() ?? {}),
  })
  .meta({ ...activityShape.meta(), id: "CalculatedActivity" });

/** Stands for an amount that is no decimal, which the graph would refuse with all items. */
const NO_AMOUNT = "0";

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
  body: z.strictObject({ items: z.array(itemShape).min(1).max(MOST_PAGE_SIZE) }),
  variables: ({ body: { items } }) => ({
    items: items.map((item) => toActivity(isDecimal(item.amount) ? item : { ...item, amount: NO_AMOUNT })),
  }),
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
  reshape: ({ calculate: { results } }, { items }) => ({
    results: results.map(({ calculation, error }, index) => {
      const amount = items[index]?.amount ?? NO_AMOUNT;
      if (!isDecimal(amount)) {
        return {
          error: { code: "VALIDATION_FAILED", message: `amount: expected a decimal, got ${show(amount)}` },
        };
      }
      return calculation
        ? describeCalculation(calculation)
        : { error: { code: error?.code ?? "", message: error?.message ?? "" } };
    }),
  }),
});
