import { addMonths, type DateRange, endOfMonth, isoDate, monthNumber } from "../window.js";
import type { Point } from "./trend-line.js";

/** Amount of a calendar month, `YYYY-MM`. A month without an amount is a gap, which differs from 0. */
export interface MonthAmount {
  readonly month: string;
  readonly amount: number;
}

/** Consecutive complete calendar months, possibly with gaps. */
export interface MonthlySeries {
  /** First month with data. */
  readonly from: string;
  readonly to: string;
  /** Number of months from `from` to `to`. */
  readonly length: number;
  /** Months with data; `x` is 0 for `from`. */
  readonly points: readonly Point[];
  /** Months without data. */
  readonly gaps: readonly string[];
  /** Returns the `h`-th month after `to`. */
  monthAfter(h: number): string;
}

/** Formats a month, given by its number since the year 0, as `YYYY-MM`. */
export const monthOf = (number: number): string =>
  `${String(Math.floor(number / 12)).padStart(4, "0")}-${String((number % 12) + 1).padStart(2, "0")}`;

/** Returns the last complete calendar month, in UTC: on 2026-11-20, `2026-10`. */
export const lastCompleteMonth = (now: Date): string => addMonths(isoDate(now), -1).slice(0, 7);

/** Default number of complete months to examine. */
export const EXAMINED_MONTHS = 24;

/**
 * Returns the complete calendar months that end in a range; null without any. On 2026-11-20, the last 12 months contain
 * November 2025 to October 2026.
 */
export function completeMonthsIn({ from, to }: DateRange, now: Date): DateRange | null {
  const ends = [endOfMonth(new Date(to), 0) === to ? to : endOfMonth(new Date(to), -1), endOfMonth(now, -1)];
  const [end = to] = ends.sort();
  const start = `${from.slice(0, 7)}-01`;
  return start > end ? null : { from: start, to: end };
}

/** Returns up to `window` months ending with `to`, starting with the first month with data; null without data. */
export function takeSeries(
  amounts: readonly MonthAmount[],
  { to, window }: { readonly to: string; readonly window: number },
): MonthlySeries | null {
  const last = monthNumber(to);
  const known = new Map(amounts.map(({ month, amount }) => [monthNumber(month), amount]));
  const numbers = Array.from({ length: window }, (_, index) => last - window + 1 + index);
  const first = numbers.find((number) => known.has(number));
  if (first === undefined) return null;
  const taken = numbers.filter((number) => number >= first);
  return {
    from: monthOf(first),
    to,
    length: taken.length,
    points: taken.flatMap((number) => {
      const y = known.get(number);
      return y === undefined ? [] : [{ x: number - first, y }];
    }),
    gaps: taken.filter((number) => !known.has(number)).map(monthOf),
    monthAfter: (h) => monthOf(last + h),
  };
}
