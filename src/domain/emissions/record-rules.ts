import { describeLimits, readWithin } from "../decimals.js";
import { addMonths, type DateRange, isoDate } from "../window.js";

/** Maximum number of records to add or recalculate in a call. */
export const MAX_RECORDS = 500;

const TONNES = { exponent: 12, decimals: 6 };

/** Maximum amount of a record in tonnes: 10^12. */
export const MAX_TONNES = `1${"0".repeat(TONNES.exponent)}`;

/** Limits of an amount, for messages. */
export const RECORD_AMOUNT = describeLimits(TONNES);

/** Reads an amount in tonnes as a plain decimal; undefined if it is outside the limits in `RECORD_AMOUNT`. */
export const readTonnes = (text: string): string | undefined => readWithin(text, TONNES);

/** Returns the days for which users may record emissions: from 1990 to a year ahead. */
export const recordedDays = (now: Date): DateRange => ({
  from: "1990-01-01",
  to: addMonths(isoDate(now), 12),
});
