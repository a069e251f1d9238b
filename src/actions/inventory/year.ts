import { INVENTORY_YEARS } from "../../domain/inventory/policies.js";
import { InvalidInput, type Subject } from "../action-error.js";

/** Returns a year that can have an inventory. Throws InvalidInput. */
export function readYear(subject: Subject, field: string, year: number): number {
  const { first, last } = INVENTORY_YEARS;
  if (year >= first && year <= last) return year;
  throw new InvalidInput(subject, field, `must be from ${first} to ${last} (got ${year})`);
}
