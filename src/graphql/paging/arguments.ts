import type { Context } from "../../access/context.js";
import { MAX_LIST_SIZE, MAX_PAGE_SIZE } from "../../domain/page.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import {
  EARLIEST_DAY,
  isLongerThan,
  isSupportedDate,
  LATEST_DAY,
  MAX_YEARS,
  SUPPORTED_DATE,
} from "../../domain/window.js";
import { AppError } from "../../errors.js";

const MAX_VALUES = 100;

/** Creates a BAD_USER_INPUT error for an argument. `argument` is its path, such as `filter.dueDate.to`. */
export function refuseArgument(argument: string, message: string): AppError {
  return new AppError("BAD_USER_INPUT", `${argument}: ${message}`, { extensions: { argument } });
}

/** Throws BAD_USER_INPUT unless `number` is from `min` to `max`. */
export function requireWithin(argument: string, number: number, min: number, max: number): number {
  if (number >= min && number <= max) return number;
  throw refuseArgument(argument, `expected ${min} to ${max}, got ${number}`);
}

/** Returns a month. Throws BAD_USER_INPUT unless it is `YYYY-MM`, in the years 1000 to 2999. */
export function requireMonth(argument: string, month: string): string {
  if (isSupportedDate(`${month}-01`)) return month;
  throw refuseArgument(
    argument,
    `expected a month, such as 2026-05, got ${JSON.stringify(month.slice(0, 60))}`,
  );
}

/** Throws BAD_USER_INPUT unless a list has 1 to `max` items. */
export const requireSize = (argument: string, size: number, max = MAX_PAGE_SIZE): number =>
  requireWithin(argument, size, 1, max);

/**
 * Returns the first `first` items of a list without pages; `first` can be 1 to 1,000. Without it, returns the whole
 * list if that has up to 100 items or the context has `wholeLists`. Otherwise, throws BAD_USER_INPUT instead of
 * silently cutting the list.
 */
export function limitList<Item>(
  list: readonly Item[],
  first: number | null | undefined,
  { wholeLists }: Context,
): readonly Item[] {
  if (first != null) return list.slice(0, requireSize("first", first, MAX_LIST_SIZE));
  if (wholeLists || list.length <= MAX_PAGE_SIZE) return list;
  throw refuseArgument(
    "first",
    `expected 1 to ${MAX_LIST_SIZE}, got none. It is required for lists of more than ${MAX_PAGE_SIZE} items; this one has ${list.length}.`,
  );
}

/**
 * Converts a whole number to a `SafeInt`. If it is too large, throws BAD_USER_INPUT naming the field with the exact
 * value.
 */
export function requireSafe(field: string, value: bigint): number {
  if (value <= Number.MAX_SAFE_INTEGER) return Number(value);
  throw new AppError(
    "BAD_USER_INPUT",
    `${field}: ${value} exceeds the maximum of a SafeInt (2^53 - 1). Select ${field}Exact instead.`,
  );
}

/**
 * Throws BAD_USER_INPUT unless a range ends on or after its first day, spans at most `maxYears` and is within the years
 * 1000 to 2999.
 */
export function requireRange(argument: string, range: DateRange, maxYears = MAX_YEARS): DateRange {
  const { from, to } = range;
  if (from < EARLIEST_DAY)
    throw refuseArgument(`${argument}.from`, `expected ${EARLIEST_DAY} or later, got ${from}`);
  if (to > LATEST_DAY) throw refuseArgument(`${argument}.to`, `expected ${LATEST_DAY} or earlier, got ${to}`);
  if (to < from) throw refuseArgument(`${argument}.to`, `expected ${from} or later, got ${to}`);
  if (isLongerThan(range, maxYears)) {
    throw refuseArgument(argument, `expected at most ${maxYears} years, got ${from} to ${to}`);
  }
  return { from, to };
}

/** Reads an optional range. Throws BAD_USER_INPUT like `requireRange`. */
export function readRange(argument: string, range: DateRange | null | undefined): DateRange | null {
  return range ? requireRange(argument, range) : null;
}

/** Reads the day of an optional filter. Throws BAD_USER_INPUT unless it is within the supported years. */
export function readDate(argument: string, date: IsoDate | null | undefined): IsoDate | null {
  if (date == null || isSupportedDate(date)) return date ?? null;
  throw refuseArgument(argument, `expected ${SUPPORTED_DATE}, got ${date}`);
}

/** Throws BAD_USER_INPUT if a string contains NUL, which PostgreSQL cannot store. */
export function requireNoNul(argument: string, ...texts: readonly (string | null | undefined)[]): void {
  if (!texts.some((text) => text?.includes("\0"))) return;
  throw refuseArgument(argument, "expected text without NUL characters, got text with one");
}

/**
 * Reads a filter's list of values, sorted and without duplicates; null if absent or empty. Throws BAD_USER_INPUT for
 * more than 100 values, or a NUL.
 */
export function readList<Value>(
  argument: string,
  values: readonly Value[] | null | undefined,
): readonly Value[] | null {
  if (!values || values.length === 0) return null;
  requireNoNul(argument, ...values.map(String));
  if (values.length <= MAX_VALUES) return [...new Set(values)].sort();
  throw refuseArgument(argument, `expected at most ${MAX_VALUES} values, got ${values.length}`);
}

/** Reads a filter's list of names, matched case-insensitively, in lower case. Throws like `readList`. */
export function readNames(argument: string, values: readonly string[] | null | undefined) {
  return readList(
    argument,
    values?.map((text) => text.toLowerCase()),
  );
}
