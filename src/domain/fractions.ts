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

export function multiplyFractions(fractions: readonly Fraction[]): Fraction {
  return fractions.reduce((product, { numerator, denominator }) => ({
    numerator: product.numerator * numerator,
    denominator: product.denominator * denominator,
  }));
}

/** Returns the quotient of two fractions. The second must not be zero. */
export const divideFractions = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.denominator,
  denominator: one.denominator * other.numerator,
});

export const addFractions = (fractions: readonly Fraction[]): Fraction =>
  fractions.reduce(
    (sum, { numerator, denominator }) => ({
      numerator: sum.numerator * denominator + numerator * sum.denominator,
      denominator: sum.denominator * denominator,
    }),
    { numerator: 0n, denominator: 1n },
  );

/** Writes the square root of a non-negative fraction as a plain decimal, rounded like `roundFraction`. */
export function roundRoot({ numerator, denominator }: Fraction, decimals: number): string {
  // If n is the number in units, floor(√n + 1/2) = floor((floor(√4n) + 1) / 2).
  const root = integerRoot((4n * numerator * 10n ** BigInt(2 * decimals)) / denominator);
  return writeUnits((root + 1n) / 2n, decimals);
}

/** Returns the integer part of a square root, by Newton's method. */
function integerRoot(square: bigint): bigint {
  if (square < 2n) return square;
  // Starts at or above the root, so each step comes closer until it reaches the integer part.
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (root + square / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

/** Writes a fraction as a plain decimal, rounded half away from zero to `decimals`, without redundant zeros. */
export function roundFraction({ numerator, denominator }: Fraction, decimals: number): string {
  const [dividend, divisor] = [abs(numerator), abs(denominator)];
  const rounded = (2n * dividend * 10n ** BigInt(decimals) + divisor) / (2n * divisor);
  return writeUnits(numerator < 0n === denominator < 0n ? rounded : -rounded, decimals);
}

const abs = (integer: bigint) => (integer < 0n ? -integer : integer);

/** Writes an integer in units of 10^-`decimals` as a plain decimal. */
export function writeUnits(units: bigint, decimals: number): string {
  const digits = String(abs(units)).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Returns true if a fraction has at most `decimals` decimals. */
export const hasDecimals = ({ numerator, denominator }: Fraction, decimals: number): boolean =>
  (numerator * 10n ** BigInt(decimals)) % denominator === 0n;

export const subtractFractions = (minuend: Fraction, subtrahend: Fraction): Fraction => ({
  numerator: minuend.numerator * subtrahend.denominator - subtrahend.numerator * minuend.denominator,
  denominator: minuend.denominator * subtrahend.denominator,
});

/** Returns 1, 0 or -1. */
export const signOf = ({ numerator, denominator }: Fraction): number =>
  numerator === 0n ? 0 : numerator < 0n === denominator < 0n ? 1 : -1;

/** Returns the quotient of two fractions; null if the second is zero. */
export const ratioOf = (one: Fraction, other: Fraction): Fraction | null =>
  other.numerator === 0n ? null : divideFractions(one, other);

/** Returns `part` as a percentage of `whole`, rounded half away from zero to 2 decimals; null if `whole` is zero. */
export function percentOfFraction(part: Fraction, whole: Fraction): number | null {
  const ratio = ratioOf(part, whole);
  return ratio && Number(roundFraction({ ...ratio, numerator: 100n * ratio.numerator }, 2));
}
