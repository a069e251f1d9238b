const calendar = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short" });

/** Returns the day of a point in time in the reader's zone, such as `2026-11-23`. */
export const dayOf = (time: string | number): string => calendar.format(new Date(time));

/** Returns the last second of a day in the reader's zone. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** Returns the current day in UTC, which is the gateway's today. */
export const todayInUtc = (): string => new Date().toISOString().slice(0, 10);

/** Returns the day some days after another, or before it for a negative number. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the days of a month, `YYYY-MM`, or of a range of months. */
export const daysOfMonths = (from: string, to = from): { readonly from: string; readonly to: string } => {
  const [year = 0, month = 0] = to.split("-").map(Number);
  return { from: `${from}-01`, to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) };
};
