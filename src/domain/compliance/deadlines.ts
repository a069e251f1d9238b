import { type IsoDate, isoDate, LATEST_DAY } from "../window.js";

/** Statuses of a deadline. Bundles may contain others. A status does not change when the due date passes. */
export const DEADLINE_STATUSES = ["pending", "completed", "missed", "waived"] as const;
export type DeadlineStatus = (typeof DEADLINE_STATUSES)[number];

export const RECURRENCES = ["annual", "quarterly", "monthly"] as const;
export type Recurrence = (typeof RECURRENCES)[number];

/** Precision of a date. */
export const DATE_PRECISIONS = ["day", "month", "quarter", "year"] as const;
export type DatePrecision = (typeof DATE_PRECISIONS)[number];

/** Compares statuses, ignoring case. */
export const hasStatus = (status: string, wanted: DeadlineStatus): boolean => status.toLowerCase() === wanted;

/** Returns true if a deadline is pending and its due date has passed. */
export const isOverdue = (deadline: { status: string; dueDate: IsoDate }, today: IsoDate): boolean =>
  deadline.dueDate < today && hasStatus(deadline.status, "pending");

const MONTHS: Readonly<Record<Recurrence, number>> = { annual: 12, quarterly: 3, monthly: 1 };

/**
 * Returns the next due date of a recurring deadline: 12, 3 or 1 months after `dueDate`, on `day` of that month or on
 * its last day if it is shorter. With `day` 31, 2027-02-28 and 2027-03-31 follow 2027-01-31. Null after 2999.
 */
export function nextDueDate(dueDate: IsoDate, recurrence: Recurrence, day: number): IsoDate | null {
  const [year = 0, month = 1] = dueDate.split("-").map(Number);
  const next = month - 1 + MONTHS[recurrence];
  const lastDay = new Date(Date.UTC(year, next + 1, 0)).getUTCDate();
  const due = isoDate(new Date(Date.UTC(year, next, Math.min(day, lastDay))));
  return due > LATEST_DAY ? null : due;
}

export const dayOfMonth = (date: IsoDate): number => Number(date.slice(8));
