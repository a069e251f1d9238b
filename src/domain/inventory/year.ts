import { addMonths, type DateRange, endOfMonth } from "../window.js";

/** Returns the 12 months of an inventory year, which has the calendar year of its first month. */
export function periodOfYear(year: number, yearStartsIn: number): DateRange {
  const from = `${year}-${String(yearStartsIn).padStart(2, "0")}-01`;
  return { from, to: endOfMonth(new Date(addMonths(from, 11)), 0) };
}
