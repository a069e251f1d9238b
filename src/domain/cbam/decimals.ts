import { addDecimals, multiplyDecimals, subtractDecimals } from "../amounts.js";

/** More decimals than any product of the rules has: six of a mass, and a few of each factor. */
const EXACT = 60;

/** A decimal without redundant zeros. */
const plain = (decimal: string) => subtractDecimals(decimal, "0");

/** The exact product of plain decimals that are not negative. */
export const multiply = (...factors: readonly string[]): string => plain(multiplyDecimals(factors, EXACT));

/** The exact sum of plain decimals; 0 of none. */
export const add = (...terms: readonly string[]): string => addDecimals(terms);

/** The exact difference of plain decimals, and 0 if it were negative. */
export function subtractDownToZero(minuend: string, ...subtrahends: readonly string[]): string {
  const difference = subtractDecimals(minuend, add(...subtrahends));
  return difference.startsWith("-") ? "0" : difference;
}

/** A plain decimal that is not negative, rounded half away from zero to at most `decimals` decimals. */
export const round = (decimal: string, decimals: number): string =>
  plain(multiplyDecimals([decimal], decimals));

/** The next whole number of a plain decimal that is not negative. */
export function roundUp(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole) + (/[1-9]/.test(fraction) ? 1n : 0n);
}

/** Whether a plain decimal is larger than another. */
export const isLarger = (one: string, other: string): boolean => subtractDecimals(other, one).startsWith("-");
