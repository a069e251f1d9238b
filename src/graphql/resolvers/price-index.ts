import { ageOf } from "../../domain/market/freshness.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { toFloat } from "./floats.js";
import { objectId } from "./object-id.js";

/** A price index, its daily values, and the instruments behind each. */
export const priceIndex = {
  PriceIndex: {
    id: ({ index, from, to }, _args, context) => objectId(context, "PriceIndex", index.code, from, to),
    index: ({ index }) => index.code,
    name: ({ index }) => index.name,
    baseDate: ({ index }) => index.baseDate,
    baseValue: ({ index }) => Number(index.baseValue),
    staleAfterDays: ({ index }) => index.staleAfterDays,
    methodologyVersion: ({ index }) => index.methodology,
    message: ({ values }) =>
      values.some(({ value }) => value !== null)
        ? null
        : "No instrument of the index had a fresh price on these days",
  },
  PriceIndexValue: {
    value: ({ value }) => toFloat(value),
    isAssessed: ({ value }) => value !== null,
    instruments: ({ date, instruments }) => instruments.map((instrument) => ({ ...instrument, day: date })),
  },
  PriceIndexInstrument: {
    weight: ({ weight }) => Number(weight),
    price: ({ price }) => (price ? Number(price.price) : null),
    currency: ({ price }) => price?.currency ?? null,
    asOf: ({ price }) => price?.asOf ?? null,
    ageDays: ({ price, day }) => (price ? ageOf(price, day) : null),
    isCarriedForward: ({ price, day }) => price !== null && price.asOf < day,
  },
} satisfies Resolvers;
