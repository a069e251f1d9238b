import { writeDecimal } from "../numbers.js";

/** Returns the fault of a plain decimal; null if it is valid. */
export type Rule = (decimal: string) => string | null;

export const anyNumber: Rule = () => null;

export const notNegative: Rule = (decimal) =>
  decimal.startsWith("-") ? `Expected 0 or more, got ${writeDecimal(decimal)}.` : null;

/** Creates a rule for whole numbers from `least` to `most`; `rest` explains the maximum: "are available". */
export const wholeFrom =
  (least: number, most = Number.MAX_SAFE_INTEGER, rest = "are possible"): Rule =>
  (decimal) => {
    const number = Number(decimal);
    if (!Number.isInteger(number) || number < least)
      return `Expected a whole number from ${least} on, got ${writeDecimal(decimal)}.`;
    return number > most
      ? `Too many: ${writeDecimal(String(most))} ${rest}, got ${writeDecimal(decimal)}.`
      : null;
  };
