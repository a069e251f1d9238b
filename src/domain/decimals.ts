import { multiplyFractions, readFraction, roundFraction, writeUnits } from "./fractions.js";

export interface DecimalLimits {
  /** Maximum number of digits before the decimal point. */
  readonly integerDigits: number;
  /** Maximum number of digits after it. */
  readonly decimals: number;
}

/** Limits of all decimals. Most fields have narrower ones. */
export const DECIMAL_LIMITS: DecimalLimits = { integerDigits: 40, decimals: 40 };

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Maximum length in characters: a number within the limits is longer only if it has redundant zeros. */
const MAX_LENGTH = 100;

/**
 * Reads a decimal in plain or exponent form. Returns its plain form without redundant zeros or -0 (`1.50e2` is `150`),
 * or undefined if `text` is not a decimal or exceeds the limits. Never rounds, and refuses a number such as `1e400`
 * before expanding it.
 */
export function readDecimal(text: string, { integerDigits, decimals }: DecimalLimits): string | undefined {
  const match = text.length > MAX_LENGTH ? null : DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const withoutLead = (whole + fraction).replace(/^0+/, "");
  const digits = withoutLead.replace(/0+$/, "");
  if (digits === "") return "0";

  // Number of `digits` before the decimal point; negative if zeros separate them from the point.
  const point = withoutLead.length - fraction.length + Number(exponent);
  if (point > integerDigits || digits.length - point > decimals) return undefined;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Reads a decimal from 0 to `max` with at most `decimals` decimals, plain or with an exponent; else undefined. */
export function readUpTo(text: string, max: string, decimals: number): string | undefined {
  const decimal = readDecimal(text, { integerDigits: max.length, decimals });
  return decimal === undefined || decimal.startsWith("-") || isLarger(decimal, max) ? undefined : decimal;
}

/** Limits of an amount: from 0 to 10^`exponent`, with at most `decimals` decimals. */
export interface AmountLimits {
  readonly exponent: number;
  readonly decimals: number;
}

/** Reads an amount within its limits as a plain decimal; undefined for anything else. */
export const readWithin = (text: string, { exponent, decimals }: AmountLimits): string | undefined =>
  readUpTo(text, `1${"0".repeat(exponent)}`, decimals);

/** Describes an amount's limits, for messages; with a unit such as `kWh`. */
export const describeLimits = ({ exponent, decimals }: AmountLimits, unit = ""): string =>
  `0 to 10^${exponent}${unit && ` ${unit}`} with at most ${decimals} decimals`;

/** Maximum number of decimals of a product. */
const EXACT = 60;

/** Returns the product of plain decimals, rounded half away from zero to `decimals`, without redundant zeros. */
export const multiplyDecimals = (factors: readonly string[], decimals = EXACT): string =>
  roundFraction(multiplyFractions(factors.map(readFraction)), decimals);

/** Returns the exact sum of plain decimals, without redundant zeros. */
export function addDecimals(amounts: readonly string[]): string {
  const { units, decimals } = inUnits(amounts);
  return writeUnits(
    units.reduce((sum, amount) => sum + amount, 0n),
    decimals,
  );
}

/** Returns the exact difference of two plain decimals, without redundant zeros. */
export function subtractDecimals(minuend: string, subtrahend: string): string {
  const { units, decimals } = inUnits([minuend, subtrahend]);
  const [one = 0n, other = 0n] = units;
  return writeUnits(one - other, decimals);
}

/** Returns `part` as a percentage of `whole`, rounded half away from zero to `decimals`; null if `whole` is zero. */
export function percentOf(part: string, whole: string, decimals = 6): number | null {
  const [numerator = 0n, denominator = 0n] = inUnits([part, whole]).units;
  if (denominator === 0n) return null;
  return Number(roundFraction({ numerator: 100n * numerator, denominator }, decimals));
}

/** Rounds a non-negative plain decimal up to a whole number. */
export function roundUp(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole) + (/[1-9]/.test(fraction) ? 1n : 0n);
}

/** Returns true if `one` is larger than `other`. */
export const isLarger = (one: string, other: string): boolean => subtractDecimals(other, one).startsWith("-");

/** Returns a decimal without its sign. */
export const absolute = (decimal: string): string => decimal.replace(/^-/, "");

/** Returns true if `amount` is at least `percent` % of `whole`. Ignores their signs, and compares without rounding. */
export const reachesPercent = (amount: string, whole: string, percent: string): boolean =>
  !isLarger(multiplyDecimals([absolute(whole), percent, "0.01"]), absolute(amount));

/** Returns the shortest plain decimal that represents a number; 0 if it exceeds the limits. */
const decimalOf = (number: number): string => readDecimal(String(number), DECIMAL_LIMITS) ?? "0";

/** Rounds a number half away from zero by its decimal digits, so 1.0005 to 3 decimals is 1.001. */
export const roundNumber = (number: number, decimals: number): number =>
  percentOf(decimalOf(number), "100", decimals) ?? 0;

/** Returns the change as a percentage of `from`, rounded as in `percentOf`; null if `from` is zero. */
export const changeInPercent = (from: number, to: number, decimals: number): number | null =>
  percentOf(subtractDecimals(decimalOf(to), decimalOf(from)), decimalOf(from), decimals);

/** Returns plain decimals as integers in units of 10^-`decimals`. */
function inUnits(amounts: readonly string[]): { units: readonly bigint[]; decimals: number } {
  const parts = amounts.map((amount) => amount.split("."));
  const decimals = parts.reduce((max, [, fraction = ""]) => Math.max(max, fraction.length), 0);
  return {
    units: parts.map(([whole = "", fraction = ""]) => BigInt(whole + fraction.padEnd(decimals, "0"))),
    decimals,
  };
}
