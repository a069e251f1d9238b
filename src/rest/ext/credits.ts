import { z } from "zod";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { wholeNumber, wholeNumberShape } from "./whole-number.js";

export const credits = endpoint({
  path: "/credits",
  summary: "Summary of the carbon credit portfolio",
  scope: "read:credits",
  operation: graphql(`
    query ExtCredits {
      credits {
        availableCreditsExact availableCount retiredCreditsExact retiredCount
        byType { creditType quantityExact }
      }
    }
  `),
  data: z
    .object({
      available_credits: wholeNumberShape("Credits neither sold nor retired, tCO2e."),
      available_count: z.int().meta({ description: "Batches with credits available." }),
      retired_credits: wholeNumberShape("Credits permanently retired, tCO2e."),
      retired_count: z.int().meta({ description: "Retirement transactions." }),
      by_type: z.array(
        z
          .object({
            credit_type: z.string().meta({ description: "Such as `VCS`. New values may appear." }),
            quantity: wholeNumberShape("Available credits of this type."),
          })
          .meta({ id: "CreditTypeTotal" }),
      ),
    })
    .meta({ id: "Credits" }),
  example: {
    available_credits: 15000,
    available_count: 3,
    retired_credits: 2500,
    retired_count: 4,
    by_type: [
      { credit_type: "EUA", quantity: 5000 },
      { credit_type: "VCS", quantity: 10000 },
    ],
  },
  reshape: ({ credits }) => ({
    available_credits: wholeNumber(credits.availableCreditsExact),
    available_count: credits.availableCount,
    retired_credits: wholeNumber(credits.retiredCreditsExact),
    retired_count: credits.retiredCount,
    by_type: credits.byType.map(({ creditType, quantityExact }) => ({
      credit_type: creditType,
      quantity: wholeNumber(quantityExact),
    })),
  }),
});
