/** An exact rational number. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Reads a plain decimal such as `12.50` as a fraction. */
export function readFraction(decimal: string): Fraction {
  const [whole = "", fraction = ""] = decimal.split(".");
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

/** Returns the exact product of fractions. */
export function multiplyFractions(fractions: readonly Fraction[]): Fraction {
  return fractions.reduce((product, { numerator, denominator }) => ({
    numerator: product.numerator * numerator,
    denominator: product.denominator * denominator,
  }));
}

/** Returns the exact quotient of two fractions; the second must not be zero. */
export const divideFractions = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.denominator,
  denominator: one.denominator * other.numerator,
});

/**
 * Writes a fraction as a plain decimal, rounded half away from zero to at most `decimals` decimals, without redundant
 * zeros.
 */
export function roundFraction({ numerator, denominator }: Fraction, decimals: number): string {
  const [dividend, divisor] = [sizeOf(numerator), sizeOf(denominator)];
  const rounded = (2n * dividend * 10n ** BigInt(decimals) + divisor) / (2n * divisor);
  return writeUnits(numerator < 0n === denominator < 0n ? rounded : -rounded, decimals);
}

const sizeOf = (integer: bigint) => (integer < 0n ? -integer : integer);

/** Writes an integer in units of 10^-`decimals` as a plain decimal. */
export function writeUnits(units: bigint, decimals: number): string {
  const digits = String(sizeOf(units)).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Returns true if a fraction has at most `decimals` decimals. */
export const hasDecimals = ({ numerator, denominator }: Fraction, decimals: number): boolean =>
  (numerator * 10n ** BigInt(decimals)) % denominator === 0n;
