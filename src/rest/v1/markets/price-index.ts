import { z } from "zod";
import { EXCLUSIONS } from "../../../domain/market/price-index.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const constituentShape = z
  .object({
    credit_type: z.string(),
    exchange: z.string(),
    weight: z.number().meta({ description: "Beside those of the other constituents." }),
    price: z.number(),
    currency: z.string(),
    as_of: z.iso.date().meta({ description: "The day the price applies to." }),
    age_days: z.int().meta({ description: "How many days before `date` that was." }),
    carried_forward: z.boolean().meta({ description: "Whether the price is of a day before `date`." }),
  })
  .meta({ id: "PriceIndexConstituent" });

const exclusionShape = z
  .object({ credit_type: z.string(), reason: z.enum(EXCLUSIONS) })
  .meta({ id: "PriceIndexExclusion" });

const valueShape = z
  .object({
    date: z.iso.date(),
    value: z.number().nullable().meta({ description: "Null on days without any fresh price." }),
    assessed: z.boolean(),
    constituents: z.array(constituentShape),
    excluded: z.array(exclusionShape),
  })
  .meta({ id: "PriceIndexValue" });

const day = (description: string) => z.iso.date().optional().meta({ description });

/** The daily values of a price index. */
export const priceIndex = endpoint({
  path: "/markets/price-index",
  summary: "The daily values of a price index, with what each is made of",
  scope: "read:market",
  operation: graphql(`
    query RestPriceIndex($index: String!, $from: Date, $to: Date) {
      market {
        priceIndex(index: $index, from: $from, to: $to) {
          index baseDate baseValue methodologyVersion message
          values {
            date value assessed
            instruments { creditType exchange weight excluded price currency asOf ageDays carriedForward }
          }
        }
      }
    }
  `),
  query: z.strictObject({
    index: z.string().default("global").meta({ description: "Code of the index." }),
    from: day("First day; 29 days before `to` if it is left out. At most 400 days, both ends counted."),
    to: day("Last day, in UTC and not ahead; today if it is left out."),
  }),
  variables: ({ query: { index, from, to } }) => ({ index, from: from ?? null, to: to ?? null }),
  data: z
    .object({
      index: z.string(),
      base_date: z.iso.date(),
      base_value: z.number(),
      methodology_version: z.int(),
      values: z.array(valueShape),
      message: z.string().nullable(),
    })
    .meta({ id: "PriceIndex" }),
  failures: ["NOT_FOUND", "VALIDATION_FAILED"],
  example: {
    index: "global",
    base_date: "2026-01-02",
    base_value: 100,
    methodology_version: 1,
    values: [
      {
        date: "2026-11-20",
        value: 104.39,
        assessed: true,
        constituents: [
          {
            credit_type: "EUA",
            exchange: "EEX",
            weight: 1,
            price: 88,
            currency: "EUR",
            as_of: "2026-11-19",
            age_days: 1,
            carried_forward: true,
          },
        ],
        excluded: [{ credit_type: "NZU", reason: "stale" }],
      },
    ],
    message: null,
  },
  reshape: ({ market: { priceIndex } }) => ({
    index: priceIndex.index,
    base_date: priceIndex.baseDate,
    base_value: priceIndex.baseValue,
    methodology_version: priceIndex.methodologyVersion,
    values: priceIndex.values.map(({ date, value = null, assessed, instruments }) => ({
      date,
      value,
      assessed,
      constituents: instruments.flatMap(({ excluded, price, currency, asOf, ageDays, ...instrument }) =>
        excluded || price == null || !currency || !asOf || ageDays == null
          ? []
          : [
              {
                credit_type: instrument.creditType,
                exchange: instrument.exchange,
                weight: instrument.weight,
                price,
                currency,
                as_of: asOf,
                age_days: ageDays,
                carried_forward: instrument.carriedForward,
              },
            ],
      ),
      excluded: instruments.flatMap(({ creditType, excluded }) =>
        excluded ? [{ credit_type: creditType, reason: lowerCase(excluded) }] : [],
      ),
    })),
    message: priceIndex.message ?? null,
  }),
});
