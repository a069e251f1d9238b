/** A calendar date in UTC, `YYYY-MM-DD`. */
export type IsoDate = string;

/** Days from `from` to `to`, inclusive. */
export interface DateRange {
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/** Returns the UTC calendar date of an instant. */
export function isoDate(instant: Date): IsoDate {
  return instant.toISOString().slice(0, 10);
}

/** Returns the UTC calendar date `days` after (or, if negative, before) that of `instant`. */
export function addDays(instant: Date, days: number): IsoDate {
  return isoDate(
    new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth(), instant.getUTCDate() + days)),
  );
}

/** Returns the last day of the calendar month that is `months` after (or, if negative, before) that of `instant`. */
export function endOfMonth(instant: Date, months: number): IsoDate {
  return isoDate(new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + months + 1, 0)));
}

/**
 * Returns THE 12-month window: the day after (today − 12 calendar months, clamped to the end of the month) to today. On
 * 2026-11-20 it is 2025-11-21 to 2026-11-20; on 2024-02-29, it is 2023-03-01 to 2024-02-29.
 */
export function lastTwelveMonths(now: Date): DateRange {
  const today = isoDate(now);
  return { from: dayAfter(addMonths(today, -12)), to: today };
}

/** Returns the 12 calendar months before the current one: on any day of November 2026, 2025-11-01 to 2026-10-31. */
export function twelveMonthsBefore(now: Date): DateRange {
  const thisMonth = startOfMonth(isoDate(now));
  return { from: addMonths(thisMonth, -12), to: dayBefore(thisMonth) };
}

/** Returns the date `months` later (or, if negative, earlier), clamped to the end of its month. */
export function addMonths(date: IsoDate, months: number): IsoDate {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const lastDayOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return isoDate(new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDayOfMonth))));
}

const dayBefore = (date: IsoDate) => addDays(new Date(date), -1);
const dayAfter = (date: IsoDate) => addDays(new Date(date), 1);

/** Maximum length of a range in years: public data sets span decades. */
export const MAX_YEARS = 100;

/** Returns the number of days from one date to another, negative if `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

/** Returns true if a range is longer than `years`. */
export function isLongerThan({ from, to }: DateRange, years: number): boolean {
  return to >= addMonths(from, 12 * years);
}

/**
 * Returns the range of the same length that ends the day before the given one starts. Measures the length in calendar
 * months if it is a whole number of them, else in days: October to December precedes January to March.
 */
export function periodBefore({ from, to }: DateRange): DateRange {
  const end = dayBefore(from);
  const [fromYear = 0, fromMonth = 0] = from.split("-").map(Number);
  const [endYear = 0, endMonth = 0] = dayAfter(to).split("-").map(Number);
  const months = 12 * (endYear - fromYear) + endMonth - fromMonth;
  if (months > 0 && addMonths(from, months) === dayAfter(to))
    return { from: addMonths(from, -months), to: end };
  // Count months back from the last day, as lastTwelveMonths does.
  for (const count of [months, months - 1]) {
    if (count > 0 && dayAfter(addMonths(to, -count)) === from) {
      return { from: dayAfter(addMonths(end, -count)), to: end };
    }
  }
  return { from: addDays(new Date(from), -1 - daysBetween(from, to)), to: end };
}

/**
 * Returns the same days of the previous year, or of the latest earlier year in which the ranges do not overlap. The
 * last day of a month is kept: 1 to 29 February 2024 precedes 1 to 28 February 2025.
 */
export function sameDaysBefore({ from, to }: DateRange): DateRange {
  const isMonthEnd = dayAfter(to).endsWith("-01");
  const back = (years: number): IsoDate =>
    isMonthEnd ? endOfMonth(new Date(to), -12 * years) : addMonths(to, -12 * years);
  let years = 1;
  while (back(years) >= from) years += 1;
  return { from: addMonths(from, -12 * years), to: back(years) };
}

export const TREND_STEPS = ["month", "quarter", "year"] as const;
export type TrendStep = (typeof TREND_STEPS)[number];

/** The part of a calendar month, quarter or year that is within a range. */
export interface Period extends DateRange {
  /** First day of the whole month, quarter or year. */
  readonly start: IsoDate;
}

const MONTHS: Readonly<Record<TrendStep, number>> = { month: 1, quarter: 3, year: 12 };

/** Returns a consecutive number for a month (`YYYY-MM`) or the month of a day; NaN if it is malformed. */
export function monthNumber(day: string): number {
  const [year = Number.NaN, month = Number.NaN] = day.split("-").map(Number);
  return 12 * year + month - 1;
}

/** Returns true if `text` is a calendar month, `YYYY-MM`. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** Counts the calendar months, quarters or years that a range touches; NaN if its dates are malformed. */
export function countPeriods({ from, to }: DateRange, step: TrendStep): number {
  const periodOf = (day: IsoDate) => Math.floor(monthNumber(day) / MONTHS[step]);
  return periodOf(to) - periodOf(from) + 1;
}

/** Lists the calendar months, quarters or years that a range touches, with the first and last cut to the range. */
export function listPeriods({ from, to }: DateRange, step: TrendStep): Period[] {
  const length = MONTHS[step];
  const [year = 0, month = 1] = from.split("-").map(Number);
  let start = isoDate(new Date(Date.UTC(year, month - 1 - ((month - 1) % length), 1)));
  const periods: Period[] = [];
  while (start <= to) {
    const next = addMonths(start, length);
    const end = dayBefore(next);
    periods.push({ start, from: start < from ? from : start, to: end > to ? to : end });
    start = next;
  }
  return periods;
}

/** A range split into whole calendar months and the days before and after them; a part without days is null. */
export interface MonthsAndDays {
  readonly before: DateRange | null;
  /** From the first day of the first whole month to the last day of the last one. */
  readonly months: DateRange | null;
  readonly after: DateRange | null;
}

/**
 * Splits a range into whole calendar months, and up to 30 days before and after them. Without a whole month, `before`
 * is the whole range.
 */
export function splitByMonths({ from, to }: DateRange): MonthsAndDays {
  const first = from.endsWith("-01") ? from : addMonths(startOfMonth(from), 1);
  // The first day after the last whole month.
  const end = startOfMonth(dayAfter(to));
  if (first >= end) {
    // Without a whole month, the range is within one month, or within two that meet at `first`.
    return { before: { from, to }, months: null, after: null };
  }
  return {
    before: from < first ? { from, to: dayBefore(first) } : null,
    months: { from: first, to: dayBefore(end) },
    after: end <= to ? { from: end, to } : null,
  };
}

/** Returns true for a range of whole calendar months. */
export function isWholeMonths(range: DateRange): boolean {
  const { before, after } = splitByMonths(range);
  return before === null && after === null;
}

const startOfMonth = (date: IsoDate): IsoDate => `${date.slice(0, 8)}01`;

/** Earliest and latest supported days, well within the limits of date strings and PostgreSQL. */
export const EARLIEST_DAY: IsoDate = "1000-01-01";
export const LATEST_DAY: IsoDate = "2999-12-31";
/** Description of a supported date, for messages. */
export const SUPPORTED_DATE = "a calendar date YYYY-MM-DD from 1000 to 2999";

export function isSupportedDate(text: string): boolean {
  return isIsoDate(text) && text >= EARLIEST_DAY && text <= LATEST_DAY;
}

/** Returns true if `text` is an existing calendar date, `YYYY-MM-DD`. */
export function isIsoDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && isoDate(instant) === text && !text.startsWith("0000");
}
