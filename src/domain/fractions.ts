import { writeUnits } from "../amounts.js";

/** An exact number of zero or more. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The fraction of a plain decimal such as `12.50`. */
export function readFraction(decimal: string): Fraction {
  const [whole = "", fraction = ""] = decimal.split(".");
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

/** The exact product of fractions. */
export function multiplyFractions(fractions: readonly Fraction[]): Fraction {
  return fractions.reduce((product, { numerator, denominator }) => ({
    numerator: product.numerator * numerator,
    denominator: product.denominator * denominator,
  }));
}

/** The exact quotient of two fractions; the second must not be zero. */
export const divideFractions = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.denominator,
  denominator: one.denominator * other.numerator,
});

/** The plain decimal of a fraction, rounded half away from zero to at most `decimals` decimals. */
export function roundFraction({ numerator, denominator }: Fraction, decimals: number): string {
  const scaled = 2n * numerator * 10n ** BigInt(decimals);
  return writeUnits((scaled + denominator) / (2n * denominator), decimals);
}

/** Whether a fraction has at most `decimals` decimals. */
export const hasDecimals = ({ numerator, denominator }: Fraction, decimals: number): boolean =>
  (numerator * 10n ** BigInt(decimals)) % denominator === 0n;
