import { z } from "zod";

/** A whole number of any size, from its digits: a bigint if a number could not hold it exactly. */
export function wholeNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** The shape of a whole number of any size, which JSON writes with all its digits. */
export const wholeNumberShape = (description: string): z.ZodType<number | bigint> =>
  z.number().meta({ type: "integer", description });
