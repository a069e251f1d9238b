/** How far away a day is: "today", "in 3 days", "2 days ago". */
export const daysAhead = (days: number): string => relative.format(days, "day");

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
