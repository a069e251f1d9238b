import type { DecimalLimits } from "../decimals.js";
import { isIsoDate, isoDate, monthNumber } from "../window.js";

/** A month's value of a business metric: 0 to 10^15, with at most 6 decimals. */
export const METRIC_VALUE: DecimalLimits = { integerDigits: 15, decimals: 6 };

/** Maximum number of an organization's business metrics, counted by name. */
export const MOST_METRICS = 100;

const FIRST_MONTH = "1990-01";
const MONTHS_AHEAD = 12;

/** Returns the fault of a metric's month as `must …`; undefined for `YYYY-MM` from 1990 to a year ahead. */
export function findMonthFault(month: string, now: Date): string | undefined {
  const isMonth = isIsoDate(`${month}-01`) && month >= FIRST_MONTH;
  if (isMonth && monthNumber(month) <= monthNumber(isoDate(now)) + MONTHS_AHEAD) return undefined;
  return `must be a month YYYY-MM from ${FIRST_MONTH} to a year ahead (got ${month.slice(0, 40)})`;
}
