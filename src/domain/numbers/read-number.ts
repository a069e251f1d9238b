import { DECIMAL_LIMITS, readDecimal } from "../decimals.js";
import { exampleOf, findSeparators, type NumberSeparators, simplifySeparators } from "./number-separators.js";

/** One reading of a number. */
export interface NumberValue {
  /** A plain decimal without redundant zeros: `-1250.5`. */
  readonly value: string;
  /** The decimal separator assumed by this reading; null if the string has neither a point nor a comma. */
  readonly decimal: "." | "," | null;
}

/** A value, the possible readings of an ambiguous number, or the reason why it is not a number. */
export type NumberReading =
  | NumberValue
  | { readonly readings: readonly NumberValue[] }
  | { readonly message: string };

/** Reads a number written by a person. */
export type ReadNumber = (text: string) => NumberReading;

/** Lists the possible values of a reading; empty if it is not a number. */
export function listValues(reading: NumberReading): readonly NumberValue[] {
  if ("message" in reading) return [];
  return "readings" in reading ? reading.readings : [reading];
}

/** Maximum length in characters: a number within the limits of readDecimal needs no more. */
const MAX_LENGTH = 100;

/**
 * Creates a reader for numbers in a BCP 47 locale. It never guesses if the result could be wrong by a factor of 1,000:
 * `1,250` is 1250 in British English, but 1.25 or 1250 in German, so the reader returns both. Throws a RangeError if
 * `locale` is invalid.
 */
export function createNumberReader(locale: string): ReadNumber {
  const separators = findSeparators(locale);
  const example = exampleOf(locale);
  return (given) => {
    const text = simplifySeparators(given).trim();
    const got =
      text === "" ? "nothing" : text.length > MAX_LENGTH ? `${text.length} characters` : given.trim();
    const refused = { message: `expected a number such as ${example}, got ${got}` };
    if (text.length > MAX_LENGTH) return refused;
    const [, sign = "", digits = ""] = /^([-−]?)(.*)$/.exec(text) ?? [];
    const { readings, isCertain } = readDigits(digits, separators);
    const values = readings.flatMap(({ plain, decimal }) => {
      const value = readDecimal(`${sign && "-"}${plain}`, DECIMAL_LIMITS);
      return value === undefined ? [] : [{ value, decimal }];
    });
    const [first] = values;
    if (first === undefined || values.length < readings.length) return refused;
    return isCertain ? first : { readings: values };
  };
}

interface DigitReading {
  /** Digits with a decimal point, if any. */
  readonly plain: string;
  readonly decimal: NumberValue["decimal"];
}

interface DigitReadings {
  /** At most two. If there are two, the first treats the separator as a decimal one. */
  readonly readings: readonly DigitReading[];
  readonly isCertain: boolean;
}

/** Reads digits with their separators. Returns no readings if they are not a number. */
function readDigits(text: string, separators: NumberSeparators): DigitReadings {
  const [separator, ...others] = text.match(/[.,]/g) ?? [];
  const asDecimal = readWith(separator === "," ? "," : ".", text, separators);
  const asGroup = readWith(separator === "," ? "." : ",", text, separators);
  const readings = [asDecimal, asGroup].filter((reading) => reading !== null);
  // Two kinds of separators, or a repeated one, have at most one reading.
  if (separator === undefined || others.length > 0 || /[ ']/.test(text)) {
    return { readings: readings.slice(0, 1), isCertain: true };
  }
  if (separator === separators.group && asGroup) return { readings: [asGroup], isCertain: true };
  return { readings, isCertain: separator === separators.decimal && !asGroup };
}

/** Reads digits with the given decimal separator; null if they do not fit. */
function readWith(
  decimal: "." | ",",
  text: string,
  { group, groupSize }: NumberSeparators,
): DigitReading | null {
  const [whole = "", fraction, ...rest] = text.split(decimal);
  if (rest.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  const separator = /[ '.,]/.exec(whole)?.[0];
  const groups = separator === undefined ? [whole] : whole.split(separator);
  const digits = groups.join("");
  if (!/^\d*$/.test(digits) || (digits === "" && fraction === undefined)) return null;
  if (separator !== undefined && !isGrouped(groups, separator === group ? groupSize : 3)) return null;
  return {
    plain: `${digits || "0"}${fraction === undefined ? "" : `.${fraction}`}`,
    decimal: /[.,]/.test(text) ? decimal : null,
  };
}

/** Returns true if digits are in groups of three, or of `size` before a last group of three. */
function isGrouped(groups: readonly string[], size: number): boolean {
  const [first = "", ...others] = groups;
  const isIn = (length: number) =>
    first.length <= length &&
    others.every((digits, index) => digits.length === (index === others.length - 1 ? 3 : length));
  return /^[1-9]/.test(first) && (isIn(3) || isIn(size));
}
