import { z } from "zod";
import { graphql } from "../../generated/queries.js";
import { endpoint } from "../endpoint.js";

export const credits = endpoint({
  path: "/credits",
  summary: "Summary of the carbon credit portfolio",
  scope: "read:credits",
  query: graphql(`
    query ExtCredits {
      credits { availableCredits availableCount retiredCredits retiredCount byType { creditType quantity } }
    }
  `),
  data: z.strictObject({
    available_credits: z.int().meta({ description: "Credits neither sold nor retired, tCO2e." }),
    available_count: z.int().meta({ description: "Batches with something available." }),
    retired_credits: z.int().meta({ description: "Credits permanently retired, tCO2e." }),
    retired_count: z.int().meta({ description: "Retirement transactions." }),
    by_type: z.array(
      z.strictObject({
        credit_type: z.string().meta({ description: "Such as `VCS`; the list is open." }),
        quantity: z.int().meta({ description: "Available credits of the type." }),
      }),
    ),
  }),
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
    available_credits: credits.availableCredits,
    available_count: credits.availableCount,
    retired_credits: credits.retiredCredits,
    retired_count: credits.retiredCount,
    by_type: credits.byType.map(({ creditType, quantity }) => ({ credit_type: creditType, quantity })),
  }),
});
