/** A calendar date in UTC, `YYYY-MM-DD`. */
export type IsoDate = string;

/** Days from `from` to `to`, both included. */
export interface DateRange {
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/** The UTC calendar date of a point in time. */
export function isoDate(instant: Date): IsoDate {
  return instant.toISOString().slice(0, 10);
}

/** The UTC calendar date `days` after (or, negative, before) that of `instant`. */
export function addDays(instant: Date, days: number): IsoDate {
  return isoDate(
    new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth(), instant.getUTCDate() + days)),
  );
}

/** Last day of the calendar month that is `months` after (or, negative, before) that of `instant`. */
export function endOfMonth(instant: Date, months: number): IsoDate {
  return isoDate(new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + months + 1, 0)));
}

/**
 * THE 12 months: the days after (today - 12 calendar months, clamped to the month's end), up to and including
 * today. On 2026-11-20 that is 2025-11-21 to 2026-11-20; on 2024-02-29, 2023-03-01 to 2024-02-29.
 */
export function lastTwelveMonths(now: Date): DateRange {
  const [year, month, day] = [now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate()];
  const lastDayOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const sameDayLastYear = new Date(Date.UTC(year, month, Math.min(day, lastDayOfMonth)));
  return { from: addDays(sameDayLastYear, 1), to: isoDate(now) };
}

/** Whether `text` is a calendar date that exists, `YYYY-MM-DD`. */
export function isIsoDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && isoDate(instant) === text && !text.startsWith("0000");
}
