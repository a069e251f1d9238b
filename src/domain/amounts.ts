/** The maximum size and precision of a decimal. */
export interface DecimalLimits {
  /** Maximum number of digits before the decimal point. */
  readonly integerDigits: number;
  /** Maximum number of digits after it. */
  readonly decimals: number;
}

/** What no amount, price or factor exceeds. */
export const DECIMAL_LIMITS: DecimalLimits = { integerDigits: 40, decimals: 40 };

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** No number within the limits needs more characters, unless they are redundant zeros. */
const LONGEST = 100;

/**
 * Reads a decimal in plain or exponent form and returns its plain form without redundant zeros or -0 (`1.50e2` is `150`).
 * Undefined if `text` is not a decimal or exceeds the limits: it is never rounded, and a number such as `1e400` is refused
 * before it is expanded.
 */
export function readDecimal(text: string, { integerDigits, decimals }: DecimalLimits): string | undefined {
  const match = text.length > LONGEST ? null : DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const withoutLead = (whole + fraction).replace(/^0+/, "");
  const digits = withoutLead.replace(/0+$/, "");
  if (digits === "") return "0";

  // How many of `digits` come before the decimal point; negative if zeros come between the point and them.
  const point = withoutLead.length - fraction.length + Number(exponent);
  if (point > integerDigits || digits.length - point > decimals) return undefined;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The exact product of non-negative plain decimals, rounded half up to at most `decimals` decimals. */
export function multiplyDecimals(factors: readonly string[], decimals: number): string {
  let product = 1n;
  let scale = 0;
  for (const factor of factors) {
    const [whole = "", fraction = ""] = factor.split(".");
    product *= BigInt(whole + fraction);
    scale += fraction.length;
  }
  const kept = Math.min(scale, decimals);
  const unit = 10n ** BigInt(scale - kept);
  const digits = String((product + unit / 2n) / unit).padStart(kept + 1, "0");
  return kept === 0 ? digits : `${digits.slice(0, -kept)}.${digits.slice(-kept)}`;
}

/** The exact sum of plain decimals, without redundant zeros. */
export const addDecimals = (amounts: readonly string[]): string =>
  amounts.reduce((sum, amount) => {
    const { units, decimals } = inUnits(sum, amount);
    return writeUnits(units[0] + units[1], decimals);
  }, "0");

/** The exact difference of two plain decimals, without redundant zeros. */
export function subtractDecimals(minuend: string, subtrahend: string): string {
  const { units, decimals } = inUnits(minuend, subtrahend);
  return writeUnits(units[0] - units[1], decimals);
}

/**
 * `part` as a percentage of `whole`, both plain decimals, rounded half away from zero to at most `decimals` decimals; null
 * if `whole` is zero.
 */
export function percentOf(part: string, whole: string, decimals = 6): number | null {
  const [dividend, divisor] = inUnits(part, whole).units;
  if (divisor === 0n) return null;
  const size = (number: bigint) => (number < 0n ? -number : number);
  const scaled = 2n * size(dividend) * 10n ** BigInt(2 + decimals);
  const rounded = (scaled + size(divisor)) / (2n * size(divisor));
  const isNegative = dividend < 0n !== divisor < 0n;
  return Number(writeUnits(isNegative ? -rounded : rounded, decimals));
}

/** The plain decimal with the fewest digits that a number is written with. */
const decimalOf = (number: number): string => readDecimal(String(number), DECIMAL_LIMITS) ?? "0";

/** A number rounded half away from zero by its decimal digits: 1.0005 to 3 decimals is 1.001. */
export const roundNumber = (number: number, decimals: number): number =>
  percentOf(decimalOf(number), "100", decimals) ?? 0;

/** The change from a number to another in percent of the former, rounded as percentOf does; null from zero. */
export const changeInPercent = (from: number, to: number, decimals: number): number | null =>
  percentOf(subtractDecimals(decimalOf(to), decimalOf(from)), decimalOf(from), decimals);

/** Two plain decimals as integers in units of 10^-`decimals`. */
function inUnits(...texts: [string, string]): { units: [bigint, bigint]; decimals: number } {
  const decimals = Math.max(...texts.map((text) => text.split(".")[1]?.length ?? 0));
  const units = texts.map((text) => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(decimals, "0"));
  });
  return { units: units as [bigint, bigint], decimals };
}

/** The plain decimal of an integer in units of 10^-`decimals`. */
export function writeUnits(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`;
}
