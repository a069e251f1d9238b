import { readDecimal } from "../decimals.js";
import { divideFractions, multiplyFractions, readFraction, roundFraction } from "../fractions.js";
import { findUnit } from "./units.js";

/** Description of a record's energy, for messages. */
export const RECORD_ENERGY = "0 to 10^15 kWh with at most 6 decimals";

const LIMITS = { integerDigits: 15, decimals: 6 };
const MOST_KWH = "1000000000000000";

/** Reads an energy in kWh as a plain decimal; undefined unless it is 0 to 10^15 with at most 6 decimals. */
export function readKwh(text: string): string | undefined {
  const kwh = readDecimal(text, { ...LIMITS, integerDigits: 16 });
  if (kwh === undefined || kwh.startsWith("-")) return undefined;
  return kwh.split(".")[0]?.length === 16 && kwh !== MOST_KWH ? undefined : kwh;
}

/**
 * Returns the kWh of one unit as a fraction (1 kWh is 3.6 MJ, by definition); undefined if it is no unit of energy.
 * Gross and net calorific values are as entered: neither is converted into the other.
 */
export function kwhOfUnit(unit: string) {
  const found = findUnit(unit);
  return found?.dimension === "energy"
    ? divideFractions(readFraction(found.size), readFraction("3.6"))
    : undefined;
}

/**
 * Returns the kWh of an amount, a plain decimal, in a unit of energy, rounded half away from zero to 6 decimals. Returns
 * null for any other unit, and for over 10^15 kWh, which no record can have.
 */
export function kwhOf({ amount, unit }: { readonly amount: string; readonly unit: string }): string | null {
  const [plain, size] = [readDecimal(amount, { integerDigits: 15, decimals: 12 }), kwhOfUnit(unit)];
  if (plain === undefined || size === undefined) return null;
  return readKwh(roundFraction(multiplyFractions([readFraction(plain), size]), LIMITS.decimals)) ?? null;
}
