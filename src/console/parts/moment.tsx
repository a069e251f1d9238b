const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** A point in time in the reader's zone, with UTC on hover; a dash for none. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={`${at.slice(0, 16).replace("T", " ")} UTC`}>
      {day.format(new Date(at))} <span class="quiet">{hour.format(new Date(at))}</span>
    </time>
  );
}

const month = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" });

/** The month of a calendar date, or a month `YYYY-MM`, such as "Nov 2026". */
export const monthOf = (date: string): string => month.format(new Date(date));
