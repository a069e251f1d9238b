import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { upperCase, uuidShape } from "../../../catalogue/values.js";
import { GEOGRAPHIES, type Geography } from "../../../domain/market/regions.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describePrice, describeSinglePrice, PRICE_EXAMPLE, priceShape, singlePriceShape } from "./price.js";

const SINGLE_EXAMPLE: z.infer<typeof singlePriceShape> = {
  ...PRICE_EXAMPLE,
  price_exact: "250",
  statutory_until: null,
};

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
const byGeography = GEOGRAPHIES.map((geography) =>
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

/** Prices by geography, and an organization's own. */
export const markets = [
  ...byGeography,
  endpoint({
    method: "POST",
    path: "/markets/prices",
    summary: "Records a price of the organization's own. The same again changes nothing",
    scope: "write:market",
    operation: graphql(`
      mutation RestRecordPrice($input: PriceInput!) {
        recordPrice(input: $input) {
          isNew
          price { ...PriceFields }
        }
      }
    `),
    body: z.strictObject({
      credit_type: z.string().meta({ description: "Such as `EUA` or `CCC`." }),
      exchange: z.string().meta({ description: "The exchange, or the publisher of the price." }),
      as_of: z.iso.date().meta({ description: "The day the price applies to, from 1990 to today in UTC." }),
      price: decimalShape("0 or more, at most 9 decimals; as text if digits could be lost."),
      currency: z.string().meta({ description: "ISO 4217 code, such as `EUR`." }),
      source: z.string(),
      source_url: z.string().meta({ description: "Link to the source." }),
      region: z.string().nullish().meta({
        description: "Such as `India`; if left out, the country of types that are traded in one alone.",
      }),
      contract: z.string().nullish().meta({ description: "What is traded, such as `Dec-26`." }),
      unit: z.string().nullish().meta({ description: "What the price is for; `tCO2e` if left out." }),
      statutory_until: z.iso.date().nullish().meta({ description: "Last day of a statutory rate." }),
    }),
    variables: ({ body: { credit_type, as_of, price, source_url, statutory_until, ...body } }) => ({
      input: {
        ...body,
        creditType: credit_type,
        asOf: as_of,
        price: String(price),
        sourceUrl: source_url,
        statutoryUntil: statutory_until ?? null,
      },
    }),
    data: singlePriceShape,
    example: SINGLE_EXAMPLE,
    reshape: ({ recordPrice: { price } }) => describeSinglePrice(price),
    createdId: ({ id }, { recordPrice: { isNew } }) => (isNew ? id : undefined),
    mayExist: true,
  }),
  endpoint({
    path: "/markets/prices/{id}",
    summary: "A price of the platform, or the organization's own",
    scope: "read:market",
    operation: graphql(`
      query RestMarketPrice($id: UUID!) {
        marketPrice(id: $id) { ...PriceFields }
      }
    `),
    params: z.object({ id: uuidShape }),
    variables: ({ params }) => params,
    data: singlePriceShape,
    example: SINGLE_EXAMPLE,
    reshape: ({ marketPrice }) => describeSinglePrice(marketPrice),
  }),
];
