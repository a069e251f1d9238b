import { readDecimal } from "../domain/amounts.js";

/** How the amounts of a file are written. */
export interface AmountRules {
  readonly decimalComma: boolean;
  readonly thousands: boolean;
}

const LIMITS = { integerDigits: 18, decimals: 6 };

/** An amount as a plain decimal; undefined where it is none, is negative, or is written otherwise than the rules say. */
export function readAmount(text: string, rules: AmountRules): string | undefined {
  const plain = plainNumber(text, rules);
  const amount = plain === undefined ? undefined : readDecimal(plain, LIMITS);
  return amount?.startsWith("-") ? undefined : amount;
}

/** What is expected of an amount. */
export function describeAmount({ decimalComma, thousands }: AmountRules): string {
  const amount = "a decimal of 0 or more, under 1e18, with at most 6 decimals";
  if (!decimalComma && !thousands) return amount;
  const separator = decimalComma ? "a decimal comma" : "a decimal point";
  return thousands
    ? `${amount}, ${separator}, and its digits in groups or not`
    : `${amount}, with ${separator}`;
}

/** Whether an amount may hold what separates fields: what is too much in a row may then be the end of an amount. */
export function mayHold({ decimalComma, thousands }: AmountRules, delimiter: string): boolean {
  return (
    (decimalComma && delimiter === ",") || (thousands && (decimalComma ? ". " : ", ").includes(delimiter))
  );
}

/**
 * Digits in groups of three, or, with the last three apart, in groups of two. None begins with 0: `0,123` is a decimal
 * that is written otherwise than the options say.
 */
const GROUPED = {
  point:
    /^-?[1-9](?:\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u2007\u2009\u202f'’]\d{3})+)|\d?(?:,\d{2})+,\d{3})(?:\.\d+)?$/,
  comma:
    /^-?[1-9](?:\d{0,2}(?:(?:\.\d{3})+|(?:[ \u00a0\u2007\u2009\u202f'’]\d{3})+)|\d?(?:\.\d{2})+\.\d{3})(?:,\d+)?$/,
};

/**
 * A number as readDecimal wants it, with a digit before the point and without a plus. Undefined where a comma or point
 * stands in a place that it cannot have.
 */
function plainNumber(text: string, { decimalComma, thousands }: AmountRules): string | undefined {
  let number = text;
  if (thousands && GROUPED[decimalComma ? "comma" : "point"].test(number)) {
    number = number.replace(decimalComma ? /[.\p{Zs}'’]/gu : /[,\p{Zs}'’]/gu, "");
  }
  if (decimalComma) {
    if (number.includes(".")) return undefined;
    number = number.replace(",", ".");
  }
  number = number.replace(/^\+/, "");
  return number.startsWith(".") ? `0${number}` : number;
}
