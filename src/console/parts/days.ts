/** A range of days, including the first and last. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const calendar = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short" });

/** Returns the date of a time in the user's time zone: `2026-11-23`. */
export const dayOf = (time: string | number): string => calendar.format(new Date(time));

/** Returns the last second of a day in the user's time zone. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** Returns today's date in UTC, which the gateway uses. */
export const todayInUtc = (): string => new Date().toISOString().slice(0, 10);

/** Returns the current year in UTC. */
export const thisYear = (): number => Number(todayInUtc().slice(0, 4));

/** Adds days to a date. A negative number subtracts. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the first and last day of a month, `YYYY-MM`, or of a range of months. */
export const daysOfMonths = (from: string, to = from): Days => {
  const [year = 0, month = 0] = to.split("-").map(Number);
  return { from: `${from}-01`, to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) };
};
