/** How large and how fine a decimal may be. */
export interface DecimalLimits {
  /** Most digits before the decimal point. */
  readonly integerDigits: number;
  /** Most digits after it. */
  readonly decimals: number;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** More than any number within the limits needs; longer ones are only zeros. */
const LONGEST = 100;

/**
 * The plain form of a decimal in plain or exponent form: no exponent, no zeros that say nothing, no -0 (`1.50e2` is
 * `150`). Undefined where `text` is no decimal or passes the limits; it is never rounded, and an exponent such as
 * that of `1e400` is refused before anything of its size is built.
 */
export function readDecimal(text: string, { integerDigits, decimals }: DecimalLimits): string | undefined {
  const match = text.length > LONGEST ? null : DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const withoutLead = (whole + fraction).replace(/^0+/, "");
  const digits = withoutLead.replace(/0+$/, "");
  if (digits === "") return "0";

  // How many of `digits` stand before the decimal point; negative for zeros between the point and them.
  const point = withoutLead.length - fraction.length + Number(exponent);
  if (point > integerDigits || digits.length - point > decimals) return undefined;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The exact product of plain decimals that are not negative, rounded half up to at most `decimals` decimals. */
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

/** The exact difference of two plain decimals, without zeros that say nothing. */
export function subtractDecimals(minuend: string, subtrahend: string): string {
  const decimals = Math.max(...[minuend, subtrahend].map((text) => text.split(".")[1]?.length ?? 0));
  const [left, right] = [minuend, subtrahend].map((text) => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(decimals, "0"));
  }) as [bigint, bigint];
  const difference = left - right;
  const digits = String(difference < 0n ? -difference : difference).padStart(decimals + 1, "0");
  const [whole, fraction] = [
    digits.slice(0, digits.length - decimals),
    digits.slice(digits.length - decimals),
  ];
  const kept = fraction.replace(/0+$/, "");
  return `${difference < 0n ? "-" : ""}${whole}${kept === "" ? "" : `.${kept}`}`;
}
