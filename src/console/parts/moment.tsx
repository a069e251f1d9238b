/** The language of the page, in which it also writes months. Numbers have the reader's own locale. */
const LANGUAGE = "en-GB";

const day = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium" });
const hour = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: "short" });
const date = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeZone: "UTC" });
const month = new Intl.DateTimeFormat(LANGUAGE, { month: "short", year: "numeric", timeZone: "UTC" });
const longMonth = new Intl.DateTimeFormat(LANGUAGE, { month: "long", year: "numeric", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto" });

/** A point in time in the reader's zone, with UTC on hover; a dash for none. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={`${at.slice(0, 16).replace("T", " ")} UTC`}>
      {day.format(new Date(at))} <span class="quiet">{hour.format(new Date(at))}</span>
    </time>
  );
}

/** A calendar date, `YYYY-MM-DD`, such as "23 Nov 2026"; a dash for none. */
export const Day = ({ on }: { on: string | null | undefined }) =>
  on ? <time dateTime={on}>{writeDay(on)}</time> : <span class="quiet">–</span>;

/** Writes a calendar date, `YYYY-MM-DD`, such as "23 Nov 2026". */
export const writeDay = (on: string): string => date.format(new Date(on));

/** The month of a calendar date, or a month `YYYY-MM`, such as "Nov 2026". */
export const monthOf = (date: string): string => month.format(new Date(date));

/** The month of a calendar date, or a month `YYYY-MM`, such as "November 2026". */
export const longMonthOf = (date: string): string => longMonth.format(new Date(date));

/** Describes the distance to a day: "today", "in 3 days", "2 months ago". */
export function daysAhead(days: number): string {
  if (Math.abs(days) < 60) return relative.format(days, "day");
  if (Math.abs(days) < 730) return relative.format(Math.round(days / 30.44), "month");
  return relative.format(Math.round(days / 365.25), "year");
}
