import { type Interval, type MonthForecast, type Prediction, raise } from "./forecast.js";
import { sum } from "./line.js";
import type { MonthlySeries } from "./series.js";

const YEAR = 12;

/** Minimum number of months with data for a seasonal forecast. */
export const LEAST_SEASONAL_MONTHS = 2 * YEAR;

/**
 * Forecasts each month as the same month of the year before. Source: Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 3rd edition, 5.2 and 5.5. Returns undefined if one of those months is a gap, or if no month
 * has data in two years.
 */
export function predictSeasonally(
  series: MonthlySeries,
  horizons: readonly number[],
  levels: readonly number[],
  normalQuantile: (p: number) => number,
): Prediction[] | undefined {
  const amounts = new Map(series.points.map(({ x, y }) => [x, y]));
  const changes = series.points.flatMap(({ x, y }) => {
    const before = amounts.get(x - YEAR);
    return before === undefined ? [] : [y - before];
  });
  const next = Array.from({ length: YEAR }, (_, index) => amounts.get(series.length + index - YEAR));
  const farthest = Math.max(...horizons);
  if (changes.length === 0 || next.slice(0, farthest).includes(undefined)) return undefined;
  const sd = Math.sqrt(sum(changes, (change) => change ** 2) / changes.length);
  const intervals = (value: number, variance: number): Interval[] =>
    levels.map((level) => {
      const half = normalQuantile((1 + level / 100) / 2) * sd * Math.sqrt(variance);
      return { level, lower: value - half, upper: value + half };
    });
  const amountAt = (h: number) => next[h - 1] ?? 0;
  return horizons.map((horizon) => {
    const value = amountAt(horizon);
    const total = sum(next.slice(0, horizon), (amount) => amount ?? 0);
    const month: MonthForecast = {
      month: series.monthAfter(horizon),
      ...raise(value, intervals(value, 1)),
      confidence: [],
    };
    // The errors of different months in a year are independent for this method.
    return { horizon, month, cumulative: raise(total, intervals(total, horizon)) };
  });
}
