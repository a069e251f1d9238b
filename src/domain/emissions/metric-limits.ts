import type { AmountLimits } from "../decimals.js";
import { isIsoDate, isoDate, monthNumber } from "../window.js";

/** Limits of a business metric's monthly value: 0 to 10^15 with at most 6 decimals. */
export const METRIC_VALUE: AmountLimits = { exponent: 15, decimals: 6 };

/** Maximum number of business metrics per organization, counted by name. */
export const MAX_METRICS = 100;

const FIRST_MONTH = "1990-01";
const MONTHS_AHEAD = 12;

/** Returns an error message, `must …`, unless the month is `YYYY-MM` from 1990 to a year ahead. */
export function findMonthFault(month: string, now: Date): string | undefined {
  const isMonth = isIsoDate(`${month}-01`) && month >= FIRST_MONTH;
  if (isMonth && monthNumber(month) <= monthNumber(isoDate(now)) + MONTHS_AHEAD) return undefined;
  return `must be a month as YYYY-MM, from ${FIRST_MONTH} to a year from now (got ${month.slice(0, 40)})`;
}
