import type { ForecastMethod } from "./methods.js";
import { fitLine, type Point, type StudentT, sum, valueAt } from "./trend-line.js";

/** Probability distributions, which JavaScript's standard library lacks. */
export interface Distributions {
  readonly studentT: StudentT;
  /** Returns the `p` quantile of the standard normal distribution. */
  readonly normalQuantile: (p: number) => number;
}

/** A method fitted to points. Variances are in units of `sd` squared, for the sum of the months `xs`. */
export interface Fit {
  /** Returns the expected amount in a later month; undefined if the method cannot forecast it. */
  readonly value: (x: number) => number | undefined;
  /** Standard deviation of a one-step error; NaN if the points do not determine it. */
  readonly sd: number;
  /** Variance from the scatter of single months. */
  readonly scatter: (xs: readonly number[]) => number;
  /** Variance of the fitted line; null for a method without one. */
  readonly ofLine: ((xs: readonly number[]) => number) | null;
  /** Quantile of the errors in units of `sd`. */
  readonly quantile: (p: number) => number;
}

const YEAR = 12;

/** Minimum number of months with data for a forecast. Seasons need two years. */
export const MIN_MONTHS: Readonly<Record<ForecastMethod, number>> = {
  naive: 6,
  seasonal_naive: 2 * YEAR,
  ols: 6,
  ols_seasonal: 2 * YEAR,
};

type FitMethod = (points: readonly Point[], distributions: Distributions) => Fit | null;

/** Fits each method to points in chronological order; null for `naive` without points, or `ols_seasonal` below 24. */
export const FITS: Readonly<Record<ForecastMethod, FitMethod>> = {
  naive: fitNaive,
  seasonal_naive: fitSeasonalNaive,
  ols: fitOls,
  ols_seasonal: fitSeasonalOls,
};

const rootMean = (squares: readonly number[]) => Math.sqrt(sum(squares, (one) => one) / squares.length);
const count = (xs: readonly number[]) => xs.length;

/**
 * Repeats the last month. The h-th error has standard deviation σ̂√h (Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 3rd edition, 5.2 and 5.5). Errors are sums of a random walk's steps, so those of the a-th
 * and b-th months share min(a, b) steps. A change across a gap counts as that many steps.
 */
function fitNaive(points: readonly Point[], { normalQuantile }: Distributions): Fit | null {
  const last = points.at(-1);
  if (!last) return null;
  const squares = points.slice(1).map(({ x, y }, index) => {
    const before = points[index] ?? last;
    return (y - before.y) ** 2 / (x - before.x);
  });
  return {
    value: () => last.y,
    sd: rootMean(squares),
    scatter: (xs) => sum(xs, (one) => sum(xs, (other) => Math.min(one, other) - last.x)),
    ofLine: null,
    quantile: normalQuantile,
  };
}

/**
 * Repeats the same month of the year before. Errors within a year are independent and have standard deviation σ̂√(k+1),
 * with k = 0 whole years in between. Source: as above, 5.2 and 5.5.
 */
function fitSeasonalNaive(points: readonly Point[], { normalQuantile }: Distributions): Fit {
  const amounts = new Map(points.map(({ x, y }) => [x, y]));
  const squares = points.flatMap(({ x, y }) => {
    const before = amounts.get(x - YEAR);
    return before === undefined ? [] : [(y - before) ** 2];
  });
  const value = (x: number) => amounts.get(x - YEAR);
  return { value, sd: rootMean(squares), scatter: count, ofLine: null, quantile: normalQuantile };
}

/** Extrapolates a line. Source: Draper and Smith, Applied Regression Analysis, 3rd edition, 3.1. */
function fitOls(points: readonly Point[], { studentT }: Distributions): Fit {
  const line = fitLine(points, studentT);
  const { n, meanX, sxx, residualSd } = line;
  return {
    value: (x) => valueAt(line, x),
    sd: residualSd,
    scatter: count,
    // The months share one line, so their bounds must not be added. This is the variance of their sum.
    ofLine: (xs) => xs.length ** 2 / n + sum(xs, (x) => x - meanX) ** 2 / sxx,
    quantile: (p) => studentT.quantile(p, n - 2),
  };
}

/**
 * Extrapolates a line with a level for each calendar month: a regression on seasonal dummy variables (Hyndman and
 * Athanasopoulos, 7.4 and 7.9). After subtracting the means of each calendar month from x and y, the slope is that of a
 * simple regression (Frisch and Waugh, Econometrica 1, 1933), and (X'X)⁻¹ yields the sum in `ofLine`. Needs two years.
 */
function fitSeasonalOls(points: readonly Point[], { studentT }: Distributions): Fit | null {
  if (points.length < MIN_MONTHS.ols_seasonal) return null;
  const seasons = new Map<number, { n: number; x: number; y: number }>();
  for (const { x, y } of points) {
    const { n, ...mean } = seasons.get(x % YEAR) ?? { n: 0, x: 0, y: 0 };
    const next = n + 1;
    seasons.set(x % YEAR, { n: next, x: mean.x + (x - mean.x) / next, y: mean.y + (y - mean.y) / next });
  }
  const levelOf = (x: number) => seasons.get(x % YEAR) ?? { n: 0, x: 0, y: 0 };
  const sxx = sum(points, ({ x }) => (x - levelOf(x).x) ** 2);
  const slope = sum(points, ({ x, y }) => (x - levelOf(x).x) * (y - levelOf(x).y)) / sxx;
  const at = (x: number) => levelOf(x).y + slope * (x - levelOf(x).x);
  const freedom = points.length - seasons.size - 1;
  return {
    value: (x) => (seasons.has(x % YEAR) ? at(x) : undefined),
    sd: Math.sqrt(sum(points, ({ x, y }) => (y - at(x)) ** 2) / freedom),
    scatter: count,
    // Assumes different calendar months, since forecasts are at most 12 months ahead.
    ofLine: (xs) => sum(xs, (x) => 1 / levelOf(x).n) + sum(xs, (x) => x - levelOf(x).x) ** 2 / sxx,
    quantile: (p) => studentT.quantile(p, freedom),
  };
}
