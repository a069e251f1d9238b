import { INVENTORY_YEARS } from "../../domain/inventory/policies.js";
import { isSupportedDate } from "../../domain/window.js";
import { InvalidInput, type Subject } from "../action-error.js";

/** Returns a year that can have an inventory. Throws InvalidInput. */
export function readYear(subject: Subject, field: string, year: number): number {
  const { first, last } = INVENTORY_YEARS;
  if (year >= first && year <= last) return year;
  throw new InvalidInput(subject, field, `must be from ${first} to ${last} (got ${year})`);
}

/** Returns a month, `YYYY-MM`. Throws InvalidInput. */
export function readMonth(subject: Subject, field: string, month: string): string {
  if (isSupportedDate(`${month}-01`)) return month;
  const fault = `must be a month in the years 1000 to 2999, such as 2025-07 (got ${month.slice(0, 20)})`;
  throw new InvalidInput(subject, field, fault);
}
