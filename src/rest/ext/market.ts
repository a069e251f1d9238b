import { z } from "zod";
import { PRICE_TYPES } from "../../domain/enums.js";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { lowerCase } from "./lower-case.js";

const NO_PRICE = "No live exchange feed connected";

export const market = endpoint({
  path: "/market",
  summary: "The latest carbon price of each credit type on each exchange",
  scope: "read:market",
  operation: graphql(`
    query ExtMarket {
      market {
        prices {
          creditType exchange price currency changePercent24h priceType source sourceUrl asOf updatedAt
        }
        isLiveFeedConnected
      }
    }
  `),
  data: z
    .object({
      prices: z.array(
        z
          .object({
            credit_type: z.string().meta({ description: "Such as `EUA`. New values may appear." }),
            exchange: z
              .string()
              .meta({ description: "Name of the exchange, or of the publisher of the price." }),
            price: z.number().meta({ description: "Per tCO2e, in `currency`." }),
            currency: z.string().length(3).meta({ description: "ISO 4217." }),
            change_pct_24h: z.number().nullable().meta({ description: "Percent." }),
            price_type: z.enum(PRICE_TYPES).meta({ description: "Kind of the price." }),
            source: z.string().meta({ description: "Title of the source." }),
            source_url: z.url().nullable().meta({ description: "Link to the source." }),
            as_of: z.iso.date().nullable().meta({ description: "The day the price applies to." }),
            updated_at: z.iso
              .datetime()
              .nullable()
              .meta({ description: "Time at which the price was recorded." }),
          })
          .meta({ id: "Price" }),
      ),
      live_feed_connected: z
        .boolean()
        .meta({ description: "True while an exchange feed has reported within the last 5 minutes." }),
      message: z
        .literal(NO_PRICE)
        .nullable()
        .meta({ description: "Reason the list is empty; null if it is not." }),
    })
    .meta({ id: "Market" }),
  example: {
    prices: [
      {
        credit_type: "CBAM_CERTIFICATE",
        exchange: "EU Commission (EEX auction average)",
        price: 82.32,
        currency: "EUR",
        change_pct_24h: null,
        price_type: "reference",
        source: "European Commission, DG TAXUD, Price of CBAM certificates",
        source_url:
          "https://taxation-customs.ec.europa.eu/carbon-border-adjustment-mechanism/price-cbam-certificates_en",
        as_of: "2026-10-05",
        updated_at: "2026-10-06T08:00:00.000Z",
      },
    ],
    live_feed_connected: false,
    message: null,
  },
  reshape: ({ market: { prices, isLiveFeedConnected } }) => ({
    prices: prices.map((price) => ({
      credit_type: price.creditType,
      exchange: price.exchange,
      price: price.price,
      currency: price.currency,
      change_pct_24h: price.changePercent24h ?? null,
      price_type: lowerCase(price.priceType),
      source: price.source,
      source_url: price.sourceUrl ?? null,
      as_of: price.asOf ?? null,
      updated_at: price.updatedAt?.toISOString() ?? null,
    })),
    live_feed_connected: isLiveFeedConnected,
    message: prices.length === 0 ? NO_PRICE : null,
  }),
});
