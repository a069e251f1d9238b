import { z } from "zod";

/** Reads a whole number of any size, as a bigint if it is not a safe integer. */
export function wholeNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** Creates the shape of a whole number of any size. JSON has all of its digits. */
export const wholeNumberShape = (description: string): z.ZodType<number | bigint> =>
  z.number().meta({ type: "integer", description });
