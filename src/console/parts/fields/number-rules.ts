import { writeDecimal } from "../numbers.js";

/** Returns the problem with a plain decimal; null if it is valid. */
export type Rule = (decimal: string) => string | null;

export const anyNumber: Rule = () => null;

export const notNegative: Rule = (decimal) =>
  decimal.startsWith("-") ? `Enter 0 or more, not ${writeDecimal(decimal)}.` : null;

/** Creates a rule for whole numbers from `min` to `max`. `rest` ends the message for a number above `max`. */
export const wholeFrom =
  (min: number, max = Number.MAX_SAFE_INTEGER, rest = "are possible"): Rule =>
  (decimal) => {
    const number = Number(decimal);
    if (!Number.isInteger(number) || number < min)
      return `Enter a whole number of at least ${min}, not ${writeDecimal(decimal)}.`;
    return number > max
      ? `Enter at most ${writeDecimal(String(max))}, not ${writeDecimal(decimal)}: only ${writeDecimal(String(max))} ${rest}.`
      : null;
  };
