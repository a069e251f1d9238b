import { z } from "zod";
import { PRICE_TYPES } from "../../../domain/enums.js";
import { graphql, type PriceFieldsFragment } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";

/** A price: the fields of the external API's market endpoint, and more. */
export const priceShape = z
  .object({
    id: z.uuid().meta({ description: "Of this price, as in `/markets/prices/{id}`." }),
    credit_type: z.string(),
    exchange: z.string(),
    price: z.number().meta({ description: "Per `unit`, in `currency`." }),
    currency: z.string().length(3).meta({ description: "ISO 4217." }),
    change_pct_24h: z.number().nullable().meta({ description: "Percent." }),
    price_type: z.enum(PRICE_TYPES),
    source: z.string(),
    source_url: z.url().nullable(),
    as_of: z.iso.date().nullable().meta({ description: "The day the price applies to." }),
    updated_at: z.iso.datetime().nullable().meta({ description: "When the price was recorded." }),
    region: z.string().nullable().meta({ description: "Such as `India` or `EU`." }),
    contract: z.string().nullable().meta({ description: "What is traded, such as `Dec-26`." }),
    unit: z.string().meta({ description: "What the price is for." }),
    age_days: z.int().nullable().meta({ description: "How many days ago `as_of` is; null without a day." }),
    stale: z.boolean().meta({
      description:
        "Whether it is more than 35 days old or without a day, or a statutory rate that has ended.",
    }),
  })
  .meta({ id: "MarketPrice" });

export const PRICE_EXAMPLE: z.infer<typeof priceShape> = {
  id: "3c9a10f0-6b8e-4f6b-9d57-5f0c7f9e2f8e",
  credit_type: "ESCert",
  exchange: "IEX",
  price: 250,
  currency: "INR",
  change_pct_24h: null,
  price_type: "reference",
  source: "REConnect Energy, ESCerts Trade Summary",
  source_url: "https://reconnectenergy.com/",
  as_of: "2021-10-26",
  updated_at: "2026-11-20T08:00:00.000Z",
  region: "India",
  contract: null,
  unit: "ESCert (1 toe)",
  age_days: 1_851,
  stale: true,
};

graphql(`
  fragment PriceFields on MarketPrice {
    id creditType exchange price currency changePct24h priceType source sourceUrl asOf updatedAt
    region contract unit ageDays stale
  }
`);

export const describePrice = (price: PriceFieldsFragment): z.infer<typeof priceShape> => ({
  id: price.id,
  credit_type: price.creditType,
  exchange: price.exchange,
  price: price.price,
  currency: price.currency,
  change_pct_24h: price.changePct24h ?? null,
  price_type: lowerCase(price.priceType),
  source: price.source,
  source_url: price.sourceUrl ?? null,
  as_of: price.asOf ?? null,
  updated_at: price.updatedAt?.toISOString() ?? null,
  region: price.region ?? null,
  contract: price.contract ?? null,
  unit: price.unit,
  age_days: price.ageDays ?? null,
  stale: price.stale,
});
