import { percentOf } from "../decimals.js";
import { median } from "../foresight/scores.js";
import { type DateRange, monthNumber } from "../window.js";

/** Series (one per facility and scope) with records in the same months. */
export interface SeriesPattern {
  /** Number of series with this pattern. */
  readonly series: number;
  /** The first days of their months with records, earliest first and separated by spaces. */
  readonly months: string;
}

/** Months between the records of a series. */
const CADENCES = [1, 3, 12] as const;
type Cadence = (typeof CADENCES)[number];

/**
 * Returns the cadence of a series: the median distance between its months with records, rounded up to 1, 3 or 12 months
 * (12 if it is larger). A series with fewer than three such months counts as monthly.
 */
export function cadenceOf(months: readonly number[]): Cadence {
  if (months.length < 3) return 1;
  const distances = months.slice(1).map((month, index) => month - (months[index] ?? month));
  const typical = median(distances);
  return CADENCES.find((cadence) => cadence >= typical) ?? 12;
}

/** Numbers of periods. */
export interface PeriodCounts {
  readonly expected: number;
  readonly recorded: number;
}

/**
 * Counts the expected periods of the series with a pattern, and those with a record. Each series is expected to have
 * records from the period of its first record onwards. `range` is 12 whole months: four periods for a quarterly series,
 * one for an annual series.
 */
export function countPeriods({ series, months }: SeriesPattern, range: DateRange): PeriodCounts {
  const [start, end] = [monthNumber(range.from), monthNumber(range.to)];
  const numbers = months.split(" ").map(monthNumber);
  const cadence = cadenceOf(numbers);
  const first = Math.max(start, numbers[0] ?? end + 1);
  if (first > end) return { expected: 0, recorded: 0 };
  const periodOf = (month: number) => Math.floor((month - start) / cadence);
  const found = new Set(numbers.filter((month) => month >= start && month <= end).map(periodOf));
  return { expected: series * (periodOf(end) - periodOf(first) + 1), recorded: series * found.size };
}

/**
 * Returns the percentage of expected periods with a record, rounded half away from zero to 2 decimals; null without
 * expected periods.
 */
export function coveragePercent(counts: readonly PeriodCounts[]): number | null {
  const sumOf = (count: keyof PeriodCounts) => counts.reduce((sum, one) => sum + one[count], 0);
  return percentOf(String(sumOf("recorded")), String(sumOf("expected")), 2);
}
