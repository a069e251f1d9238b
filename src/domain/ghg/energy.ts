import { describeLimits, readWithin } from "../decimals.js";
import { divideFractions, multiplyFractions, readFraction, roundFraction } from "../fractions.js";
import { findUnit } from "./units.js";

const KWH = { exponent: 15, decimals: 6 };

/** Limits of a record's energy, for messages. */
export const RECORD_ENERGY = describeLimits(KWH, "kWh");

/** Reads kWh as a plain decimal; undefined if they are outside the limits in `RECORD_ENERGY`. */
export const readKwh = (text: string): string | undefined => readWithin(text, KWH);

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
 * `amount` is not a decimal from 0 to 10^15 with at most 12 decimals, or the result is above 10^15 kWh, the
 * maximum of a record.
 */
export function kwhOf({ amount, unit }: { readonly amount: string; readonly unit: string }): string | null {
  const [plain, size] = [readWithin(amount, { exponent: 15, decimals: 12 }), kwhOfUnit(unit)];
  if (plain === undefined || size === undefined) return null;
  return readKwh(roundFraction(multiplyFractions([readFraction(plain), size]), KWH.decimals)) ?? null;
}
