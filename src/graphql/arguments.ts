import { MOST_PAGE_SIZE } from "../domain/page.js";
import type { DateRange } from "../domain/window.js";
import { EARLIEST_DAY, isLongerThan, LATEST_DAY, MOST_YEARS } from "../domain/window.js";
import { AppError } from "../errors.js";

const MOST_VALUES = 100;

/** A refusal of an argument, which is named by its path, such as `filter.dueDate.to`. */
export function refuseArgument(argument: string, message: string): AppError {
  return new AppError("BAD_USER_INPUT", `${argument}: ${message}`, { extensions: { argument } });
}

/** A list's size as asked for, 1 to 100; throws BAD_USER_INPUT for any other. */
export function requireSize(argument: string, size: number): number {
  if (size >= 1 && size <= MOST_PAGE_SIZE) return size;
  throw refuseArgument(argument, `expected 1 to ${MOST_PAGE_SIZE}, got ${size}`);
}

/** A range as asked for: it does not end before it starts, lasts 10 years at most, and lies in the years 1000 to 2999. */
export function requireRange(argument: string, range: DateRange): DateRange {
  const { from, to } = range;
  if (from < EARLIEST_DAY)
    throw refuseArgument(`${argument}.from`, `expected ${EARLIEST_DAY} or later, got ${from}`);
  if (to > LATEST_DAY) throw refuseArgument(`${argument}.to`, `expected ${LATEST_DAY} or earlier, got ${to}`);
  if (to < from) throw refuseArgument(`${argument}.to`, `expected ${from} or later, got ${to}`);
  if (isLongerThan(range, MOST_YEARS)) {
    throw refuseArgument(argument, `expected at most ${MOST_YEARS} years, got ${from} to ${to}`);
  }
  return { from, to };
}

/** The same of a range that may be left out. */
export function readRange(argument: string, range: DateRange | null | undefined): DateRange | null {
  return range ? requireRange(argument, range) : null;
}

/** A filter's list of values, at most 100, each once and in one order; null where it is left out or empty. */
export function readList<Value>(
  argument: string,
  values: readonly Value[] | null | undefined,
): readonly Value[] | null {
  if (!values || values.length === 0) return null;
  if (values.some((value) => String(value).includes("\0"))) {
    throw refuseArgument(argument, "expected texts without NUL, got one with it");
  }
  if (values.length <= MOST_VALUES) return [...new Set(values)].sort();
  throw refuseArgument(argument, `expected at most ${MOST_VALUES} values, got ${values.length}`);
}
