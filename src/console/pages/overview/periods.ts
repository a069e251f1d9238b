import { addDays, daysOfMonths } from "../../parts/days.js";
import { writeDay } from "../../parts/moment.js";

/** Days from the first to the last. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** A period to choose; null stands for the last 12 months, which is the gateway's default. */
export interface Preset {
  readonly name: string;
  readonly days: Days | null;
}

/** Returns the month `YYYY-MM` some months after another. */
const addMonths = (month: string, months: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + months, 1))
    .toISOString()
    .slice(0, 7);

const monthsFrom = (first: string, months: number): Days => daysOfMonths(first, addMonths(first, months - 1));

/** Returns the financial year of a day whose years start in a month, `01` to `12`. */
export function financialYearOf(day: string, start: string): Days {
  const year = Number(day.slice(0, 4)) - (day.slice(5, 7) < start ? 1 : 0);
  return monthsFrom(`${year}-${start}`, 12);
}

/** Lists the periods to choose on a day. `start` is the first month of the financial year; empty if none was chosen. */
export function listPresets(today: string, start: string): Preset[] {
  const month = today.slice(0, 7);
  const year = today.slice(0, 4);
  const quarter = addMonths(month, -((Number(month.slice(5)) - 1) % 3));
  const financial = start && financialYearOf(today, start);
  return [
    { name: "This month", days: monthsFrom(month, 1) },
    { name: "This quarter", days: monthsFrom(quarter, 3) },
    { name: "This year", days: monthsFrom(`${year}-01`, 12) },
    { name: "Last year", days: monthsFrom(`${Number(year) - 1}-01`, 12) },
    { name: "Last 12 months", days: null },
    ...(financial
      ? [
          { name: "This financial year", days: financial },
          { name: "Last financial year", days: financialYearOf(addDays(financial.from, -1), start) },
        ]
      : []),
  ];
}

/** Writes a range, such as "1 Jan 2026 – 31 Oct 2026". */
export const writeDays = ({ from, to }: Days): string =>
  from === to ? writeDay(from) : `${writeDay(from)} – ${writeDay(to)}`;

/**
 * Returns the days of a range that can be compared with the same days a year earlier: up to today, and up to the end of
 * the month of the latest record, as records of later months are still to come. Null if there are none.
 */
export function comparableDays({ from, to }: Days, latestRecord: string | null, today: string): Days | null {
  if (latestRecord === null) return null;
  const [until = to] = [to, today, daysOfMonths(latestRecord.slice(0, 7)).to].sort();
  return until < from ? null : { from, to: until };
}

/** Returns the address of the records of a range that match a filter. Parts without a value are left out. */
export function recordsOf(
  days: Days,
  filter: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `/console/records?${new URLSearchParams([...Object.entries({ from: days.from, to: days.to }), ...given])}`;
}
