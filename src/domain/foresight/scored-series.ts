import { monthNumber } from "../window.js";
import type { MonthAmount } from "./monthly-series.js";
import { createScores, median, type Scores } from "./scores.js";

/** A range of months to score, `YYYY-MM`. */
export interface Span {
  readonly from: string;
  /** At most the last complete month. */
  readonly to: string;
}

/** Amount of a month, given by its number. */
export type NumberedAmount = readonly [month: number, amount: number];

export const numberMonths = (amounts: readonly MonthAmount[]): NumberedAmount[] =>
  amounts.map(({ month, amount }) => [monthNumber(month), amount]);

/** A series with its scores, which do not depend on thresholds. Months are given by their numbers. */
export interface ScoredSeries {
  /** Month of the first amount. */
  readonly start: number;
  /** Amounts by month, from `start`; NaN for a month without data. */
  readonly amounts: Float64Array;
  readonly first: number;
  readonly last: number;
  /** Last month that is expected to have records. */
  readonly end: number;
  readonly median: number;
  readonly score: (value: number) => Scores;
}

/** Minimum number of amounts to calculate scores. */
export const MIN_SCORED = 6;

const UNSCORED: Scores = { zScore: null, robustZ: null };
export const unscored = (): Scores => UNSCORED;

/**
 * Scores the months of a span. `given` is sorted, earliest first, and may start before the span. `activeTo` is the last
 * month expected to have records, if it is before `to`.
 */
export function scoreSeries(
  given: readonly NumberedAmount[],
  { from, to }: Span,
  activeTo = to,
): ScoredSeries {
  const [first, last, end] = [monthNumber(from), monthNumber(to), monthNumber(activeTo)];
  const start = Math.min(given[0]?.[0] ?? last + 1, last + 1);
  const amounts = new Float64Array(last + 1 - start).fill(Number.NaN);
  for (const [month, amount] of given) if (month <= last) amounts[month - start] = amount;
  const values = amounts.slice(Math.max(0, first - start)).filter((amount) => !Number.isNaN(amount));
  const score = values.length >= MIN_SCORED ? createScores([...values]) : unscored;
  return { start, amounts, first, last, end: Math.min(end, last), median: median([...values]), score };
}

/** Returns the amount of a month; NaN without data. */
export const amountOf = ({ start, amounts }: ScoredSeries, month: number): number =>
  amounts[month - start] ?? Number.NaN;

/** Lists the months with data, starting at `first`. */
export function monthsFrom({ start, amounts }: ScoredSeries, first: number): number[] {
  const months: number[] = [];
  for (let index = Math.max(0, first - start); index < amounts.length; index += 1) {
    if (!Number.isNaN(amounts[index])) months.push(start + index);
  }
  return months;
}
