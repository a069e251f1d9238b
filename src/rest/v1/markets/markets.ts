import { z } from "zod";
import { upperCase } from "../../../catalogue/values.js";
import { GEOGRAPHIES, type Geography } from "../../../domain/market/regions.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describePrice, PRICE_EXAMPLE, priceShape } from "./price.js";

const SUMMARIES: Readonly<Record<Geography, string>> = {
  india: "The latest prices of Indian certificates",
  singapore: "The latest prices in Singapore",
  global: "The latest prices of all other regions",
};

const marketShape = z
  .object({
    geography: z.enum(GEOGRAPHIES),
    prices: z.array(priceShape),
    live_feed_connected: z.boolean(),
    message: z.string().nullable().meta({ description: "What is missing; null if nothing is." }),
  })
  .meta({ id: "GeographicMarket" });

/** Why there are no prices; null if there are any. In India the certificate of the trading scheme is what matters. */
function findMessage(geography: Geography, prices: readonly { creditType: string }[]): string | null {
  if (geography === "india") {
    return prices.some(({ creditType }) => creditType === "CCC") ? null : "No CCC trade price recorded yet";
  }
  return prices.length > 0 ? null : "No price recorded yet";
}

/** The latest prices of each market. */
export const markets = GEOGRAPHIES.map((geography) =>
  endpoint({
    path: `/markets/${geography}`,
    summary: SUMMARIES[geography],
    scope: "read:market",
    operation: graphql(`
      query RestMarket($geography: Geography!) {
        market {
          prices(geography: $geography) { ...PriceFields }
          liveFeedConnected
        }
      }
    `),
    variables: () => ({ geography: upperCase(geography) }),
    data: marketShape,
    example: { geography, prices: [PRICE_EXAMPLE], live_feed_connected: false, message: null },
    reshape: ({ market: { prices, liveFeedConnected } }) => ({
      geography,
      prices: prices.map(describePrice),
      live_feed_connected: liveFeedConnected,
      message: findMessage(geography, prices),
    }),
  }),
);
