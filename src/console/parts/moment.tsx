/** Locale for dates, which matches the language of the page. Numbers follow the user's locale. */
const LANGUAGE = "en-GB";

const day = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium" });
const hour = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: "short" });
const date = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeZone: "UTC" });
const month = new Intl.DateTimeFormat(LANGUAGE, { month: "short", year: "numeric", timeZone: "UTC" });
const longMonth = new Intl.DateTimeFormat(LANGUAGE, { month: "long", year: "numeric", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto" });

/** A time in the user's time zone, with UTC on hover; a dash for none. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={`${at.slice(0, 16).replace("T", " ")} UTC`}>
      {day.format(new Date(at))} <span class="quiet">{hour.format(new Date(at))}</span>
    </time>
  );
}

/** Writes a time in the user's time zone like "23 Nov 2026, 10:00". */
export const writeTime = (at: string): string => `${day.format(new Date(at))}, ${hour.format(new Date(at))}`;

/** A date, written like "23 Nov 2026"; a dash for none. */
export const Day = ({ on }: { on: string | null | undefined }) =>
  on ? <time dateTime={on}>{writeDay(on)}</time> : <span class="quiet">–</span>;

/** Writes a date, `YYYY-MM-DD`, like "23 Nov 2026". */
export const writeDay = (on: string): string => date.format(new Date(on));

/** Writes the month of `YYYY-MM-DD` or `YYYY-MM` like "Nov 2026". */
export const monthOf = (date: string): string => month.format(new Date(date));

/** Writes the month of `YYYY-MM-DD` or `YYYY-MM` like "November 2026". */
export const longMonthOf = (date: string): string => longMonth.format(new Date(date));

/** Writes a number of days from today: "today", "in 3 days", "2 months ago". */
export function daysAhead(days: number): string {
  if (Math.abs(days) < 60) return relative.format(days, "day");
  if (Math.abs(days) < 730) return relative.format(Math.round(days / 30.44), "month");
  return relative.format(Math.round(days / 365.25), "year");
}
