import { readDecimal, readUpTo } from "../decimals.js";
import { divideFractions, multiplyFractions, readFraction, roundFraction } from "../fractions.js";
import { findUnit } from "./units.js";

/** Limits of a record's energy, for messages. */
export const RECORD_ENERGY = "0 to 10^15 kWh with at most 6 decimals";

const MAX_KWH = "1000000000000000";
const DECIMALS = 6;

/** Reads kWh as a plain decimal; undefined if they are outside the limits in `RECORD_ENERGY`. */
export const readKwh = (text: string): string | undefined => readUpTo(text, MAX_KWH, DECIMALS);

/**
 * Returns the kWh in one unit as a fraction (1 kWh is 3.6 MJ, by definition); undefined if it is not an energy unit.
 * Never converts between gross and net calorific values.
 */
export function kwhOfUnit(unit: string) {
  const found = findUnit(unit);
  return found?.dimension === "energy"
    ? divideFractions(readFraction(found.size), readFraction("3.6"))
    : undefined;
}

/**
 * Converts an amount to kWh, rounded half away from zero to 6 decimals. Returns null if `unit` is not an energy unit,
 * `amount` is not a decimal from 0 to below 10^15 with at most 12 decimals, or the result is above 10^15 kWh, the
 * maximum of a record.
 */
export function kwhOf({ amount, unit }: { readonly amount: string; readonly unit: string }): string | null {
  const [plain, size] = [readDecimal(amount, { integerDigits: 15, decimals: 12 }), kwhOfUnit(unit)];
  if (plain === undefined || size === undefined) return null;
  return readKwh(roundFraction(multiplyFractions([readFraction(plain), size]), DECIMALS)) ?? null;
}
