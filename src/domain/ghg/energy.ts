import { readDecimal } from "../decimals.js";
import { divideFractions, multiplyFractions, readFraction, roundFraction } from "../fractions.js";
import { findUnit } from "./units.js";

/** Accepted energy of a record, for messages. */
export const RECORD_ENERGY = "0 to 10^15 kWh with at most 6 decimals";

const LIMITS = { integerDigits: 15, decimals: 6 };
const MAX_KWH = "1000000000000000";

/** Reads kWh as a plain decimal; undefined unless 0 to 10^15 with at most 6 decimals. */
export function readKwh(text: string): string | undefined {
  const kwh = readDecimal(text, { ...LIMITS, integerDigits: 16 });
  if (kwh === undefined || kwh.startsWith("-")) return undefined;
  return kwh.split(".")[0]?.length === 16 && kwh !== MAX_KWH ? undefined : kwh;
}

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
 * Converts an amount to kWh, rounded half away from zero to 6 decimals. Returns null if `unit` is not an energy unit, and
 * above 10^15 kWh, the maximum of a record.
 */
export function kwhOf({ amount, unit }: { readonly amount: string; readonly unit: string }): string | null {
  const [plain, size] = [readDecimal(amount, { integerDigits: 15, decimals: 12 }), kwhOfUnit(unit)];
  if (plain === undefined || size === undefined) return null;
  return readKwh(roundFraction(multiplyFractions([readFraction(plain), size]), LIMITS.decimals)) ?? null;
}
