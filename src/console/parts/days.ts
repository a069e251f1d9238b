const calendar = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short" });

/** The day of a point in time in the reader's zone, such as `2026-11-23`. */
export const dayOf = (time: string | number): string => calendar.format(new Date(time));

/** The last second of a day in the reader's zone. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** The present day in UTC, which the gateway calls today. */
export const todayInUtc = (): string => new Date().toISOString().slice(0, 10);

/** The day that is some days after another, or before it. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** The days of a month, `YYYY-MM`, or of those from one month to another. */
export const daysOfMonths = (from: string, to = from): { readonly from: string; readonly to: string } => {
  const [year = 0, month = 0] = to.split("-").map(Number);
  return { from: `${from}-01`, to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) };
};

/** How far away a day is: "today", "in 3 days", "2 days ago". */
export const daysAhead = (days: number): string => relative.format(days, "day");

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
