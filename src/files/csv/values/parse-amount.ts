import { multiplyDecimals, readDecimal } from "../../../domain/decimals.js";
import type { Suggestion } from "../problems.js";

/** Rules for the amounts in a file. */
export interface AmountRules {
  readonly decimalComma: boolean;
  readonly thousands: boolean;
  /** BCP 47 locale of the numbers, instead of the two above. */
  readonly locale: string | undefined;
  /** True to round amounts to 6 decimals; otherwise amounts with more decimals are problems. */
  readonly round: boolean;
}

const DECIMALS = 6;
const LIMITS = { integerDigits: 18, decimals: DECIMALS };
/** Limits of an amount before its conversion or rounding: enough for any number that a program writes. */
const WIDE_LIMITS = { integerDigits: 24, decimals: 40 };

export interface Amount {
  /** A plain decimal. */
  readonly tonnes: string;
  readonly isRounded: boolean;
}

/**
 * Reads an amount and converts it to tonnes, exactly, or rounded half up if the rules allow it. Returns undefined
 * unless it is a number of 0 or more in the format of the rules, with at most 18 digits before the decimal point and 6
 * after it in tonnes.
 */
export function readAmount(text: string, rules: AmountRules, tonnesPerUnit = "1"): Amount | undefined {
  const plain = plainNumber(text, rules);
  if (plain === undefined) return undefined;
  const written = readDecimal(plain, tonnesPerUnit === "1" && !rules.round ? LIMITS : WIDE_LIMITS);
  if (written === undefined || written.startsWith("-")) return undefined;
  if (tonnesPerUnit === "1" && !rules.round) return { tonnes: written, isRounded: false };
  const product = multiplyDecimals([written, tonnesPerUnit]);
  const exact = readDecimal(product, LIMITS);
  if (exact !== undefined) return { tonnes: exact, isRounded: false };
  const rounded = rules.round ? readDecimal(multiplyDecimals([product], DECIMALS), LIMITS) : undefined;
  return rounded === undefined ? undefined : { tonnes: rounded, isRounded: true };
}

/** Describes the expected amount for a string that `readAmount` refuses, with the rules that would accept it. */
export function describeAmount(
  text: string,
  rules: AmountRules,
  tonnesPerUnit = "1",
): { readonly expected: string; readonly suggestions: readonly Suggestion[] } {
  const reads = (other: Partial<AmountRules>) =>
    readAmount(text, { ...rules, round: true, ...other }, tonnesPerUnit) !== undefined;
  if (reads({})) {
    const expected = `at most ${DECIMALS} decimals${tonnesPerUnit === "1" ? "" : " in tonnes"}`;
    return { expected, suggestions: [{ round: true }] };
  }
  const { decimalComma, thousands } = rules;
  const form = decimalComma ? ", with a decimal comma" : "";
  const grouped = thousands ? `${form ? " and" : ", with"} optional thousands separators` : "";
  const expected = `a decimal of 0 or more, under 1e18, with at most ${DECIMALS} decimals${form}${grouped}`;
  const single = [{ thousands: true }, { decimalComma: true }] as const;
  const suggestions = single.filter(reads);
  if (suggestions.length > 0) return { expected, suggestions };
  const both = { decimalComma: true, thousands: true } as const;
  return { expected, suggestions: reads(both) ? [both] : [] };
}

/** Returns true if an amount may contain the delimiter. A row with too many fields may then contain a split amount. */
export function mayContain({ decimalComma, thousands }: AmountRules, delimiter: string): boolean {
  return (
    (decimalComma && delimiter === ",") || (thousands && (decimalComma ? ". " : ", ").includes(delimiter))
  );
}

/**
 * Digits in groups of three, or of two before a last group of three (Indian grouping). A first digit of 0 is refused:
 * `0,123` is a decimal with a different decimal separator than in the options.
 */
const GROUPED = {
  point:
    /^-?[1-9](?:\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u2007\u2009\u202f'’]\d{3})+)|\d?(?:,\d{2})+,\d{3})(?:\.\d+)?$/,
  comma:
    /^-?[1-9](?:\d{0,2}(?:(?:\.\d{3})+|(?:[ \u00a0\u2007\u2009\u202f'’]\d{3})+)|\d?(?:\.\d{2})+\.\d{3})(?:,\d+)?$/,
};

/**
 * Converts a number to the form of `readDecimal`: a digit before the point, no plus and no thousands separators.
 * Returns undefined for a decimal point if the rules require a decimal comma.
 */
export function plainNumber(text: string, { decimalComma, thousands }: AmountRules): string | undefined {
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
