import { addDays, type Days, daysOfMonths } from "../../parts/days.js";
import { writeDay } from "../../parts/moment.js";

const addMonths = (month: string, months: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + months))
    .toISOString()
    .slice(0, 7);

const monthsFrom = (first: string, months: number): Days => daysOfMonths(first, addMonths(first, months - 1));

/** Returns the financial year of a day. `start` is its first month, `01` to `12`. */
export const financialYearOf = (day: string, start: string): Days =>
  monthsFrom(`${Number(day.slice(0, 4)) - (day.slice(5, 7) < start ? 1 : 0)}-${start}`, 12);

/**
 * Lists the periods to choose from. A null period is the gateway's default, the last 12 months. `start` is the first
 * month of the financial year, or empty.
 */
export function listPeriods(today: string, start: string): (readonly [name: string, days: Days | null])[] {
  const month = today.slice(0, 7);
  const year = Number(today.slice(0, 4));
  const financial = start && financialYearOf(today, start);
  return [
    ["This month", monthsFrom(month, 1)],
    ["This quarter", monthsFrom(addMonths(month, -((Number(month.slice(5)) - 1) % 3)), 3)],
    ["This year", monthsFrom(`${year}-01`, 12)],
    ["Last year", monthsFrom(`${year - 1}-01`, 12)],
    ["Last 12 months", null],
    ...(financial
      ? ([
          ["This financial year", financial],
          ["Last financial year", financialYearOf(addDays(financial.from, -1), start)],
        ] as const)
      : []),
  ];
}

/** Writes a range, such as "1 Jan 2026 – 31 Oct 2026". */
export const writeDays = ({ from, to }: Days): string => `${writeDay(from)} – ${writeDay(to)}`;

/**
 * Returns the days of a range that can be compared with the same days a year earlier; null if no days can be. Leaves
 * out days after today, and days after the month of the latest record, which have no records yet.
 */
export function comparableDays({ from, to }: Days, latestRecord: string | null, today: string): Days | null {
  if (latestRecord === null) return null;
  const [until = to] = [to, today, daysOfMonths(latestRecord.slice(0, 7)).to].sort();
  return until < from ? null : { from, to: until };
}
