import { multiplyDecimals, readDecimal } from "../../domain/amounts.js";

/** How the amounts of a file are written. */
export interface AmountRules {
  readonly decimalComma: boolean;
  readonly thousands: boolean;
  /** Whether amounts are rounded to 6 decimals; those with more are problems otherwise. */
  readonly round: boolean;
}

const DECIMALS = 6;
const LIMITS = { integerDigits: 18, decimals: DECIMALS };
/** Of amounts that are converted or rounded: enough for any number that a program writes. */
const WIDE_LIMITS = { integerDigits: 24, decimals: 40 };

/** An amount in tonnes, as a plain decimal. */
export interface Amount {
  readonly tonnes: string;
  readonly isRounded: boolean;
}

/**
 * Reads an amount in a unit of so many tonnes, exactly; it is rounded (half up) only if the rules allow that. Undefined
 * for anything but a number of 0 or more, written as the rules say, of at most 18 digits and 6 decimals in tonnes.
 */
export function readAmount(text: string, rules: AmountRules, tonnesPerUnit = "1"): Amount | undefined {
  const plain = plainNumber(text, rules);
  if (plain === undefined) return undefined;
  const written = readDecimal(plain, tonnesPerUnit === "1" && !rules.round ? LIMITS : WIDE_LIMITS);
  if (written === undefined || written.startsWith("-")) return undefined;
  if (tonnesPerUnit === "1" && !rules.round) return { tonnes: written, isRounded: false };
  const product = multiplyDecimals([written, tonnesPerUnit], Number.POSITIVE_INFINITY);
  const exact = readDecimal(product, LIMITS);
  if (exact !== undefined) return { tonnes: exact, isRounded: false };
  const rounded = rules.round ? readDecimal(multiplyDecimals([product], DECIMALS), LIMITS) : undefined;
  return rounded === undefined ? undefined : { tonnes: rounded, isRounded: true };
}

/** What was expected of a text that is not an amount; it names the option that would read it. */
export function describeAmount(text: string, rules: AmountRules, tonnesPerUnit?: string): string {
  if (readAmount(text, { ...rules, round: true }, tonnesPerUnit) !== undefined) {
    return `at most ${DECIMALS} decimals${tonnesPerUnit === "1" ? "" : " in tonnes"} (or --round)`;
  }
  const { decimalComma, thousands } = rules;
  const form = decimalComma ? ", with a decimal comma" : "";
  const grouped = thousands ? `${form ? " and" : ", with"} optional thousands separators` : "";
  const expected = `a decimal of 0 or more, under 1e18, with at most ${DECIMALS} decimals${form}${grouped}`;
  const reads = (other: Partial<AmountRules>) =>
    readAmount(text, { ...rules, round: true, ...other }) !== undefined;
  const options = [
    ...(reads({ thousands: true }) ? ["--thousands"] : []),
    ...(reads({ decimalComma: true }) ? ["--decimal-comma"] : []),
  ];
  if (options.length === 0 && reads({ decimalComma: true, thousands: true }))
    options.push("--decimal-comma --thousands");
  return options.length === 0 ? expected : `${expected} (or ${options.join(" or ")})`;
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
