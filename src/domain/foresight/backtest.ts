import { type Distributions, FITS, MIN_MONTHS } from "./fits.js";
import { FORECAST_METHODS, type ForecastMethod, type MethodChoice } from "./methods.js";
import { type Point, sum } from "./trend-line.js";

/** Errors of a method's one-step forecasts of past months. */
export interface MethodErrors {
  readonly method: ForecastMethod;
  /** Mean absolute error. */
  readonly mae: number;
  /** Sum of the absolute errors as a percentage of the sum of the amounts; null if that sum is 0. */
  readonly wapePercent: number | null;
}

/** Errors of several methods in the same past months. */
export interface Backtest {
  /** Number of months tested. */
  readonly folds: number;
  /** Methods that can forecast all these months, simplest first. */
  readonly methods: readonly MethodErrors[];
}

/** Maximum number of months to test methods on, except for `ols`: a year, so that each season counts once. */
const MAX_FOLDS = 12;

/**
 * Compares methods by rolling origin (Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd edition,
 * 5.10): forecasts each month from the earlier months, at least six. Tests all such months for `ols`, and otherwise the
 * last 12 that the chosen method can forecast. Returns null without such months.
 */
export function backtest(
  points: readonly Point[],
  choice: MethodChoice,
  distributions: Distributions,
): Backtest | null {
  const errorOf = (method: ForecastMethod, index: number): number | undefined => {
    const { x, y } = points[index] ?? { x: 0, y: 0 };
    const value = FITS[method](points.slice(0, index), distributions)?.value(x);
    return value === undefined ? undefined : Math.abs(value - y);
  };
  const tested = Array.from(points.keys())
    .slice(MIN_MONTHS.naive)
    .filter((index) => choice === "best" || errorOf(choice, index) !== undefined);
  const folds = choice === "ols" ? tested : tested.slice(-MAX_FOLDS);
  if (folds.length === 0) return null;
  const amounts = sum(folds, (index) => Math.abs(points[index]?.y ?? 0));
  const methods = FORECAST_METHODS.flatMap((method): MethodErrors[] => {
    const errors = folds.flatMap((index) => errorOf(method, index) ?? []);
    if (errors.length < folds.length) return [];
    const total = sum(errors, (error) => error);
    return [
      { method, mae: total / folds.length, wapePercent: amounts === 0 ? null : (100 * total) / amounts },
    ];
  });
  return { folds: folds.length, methods };
}

/** Differences below a milligram are floating-point noise. */
const NOISE = 1e-9;

/**
 * Returns the most accurate method that `isAble` accepts; the simplest if several are equally accurate, or if none was
 * tested.
 */
export const findBest = (
  tested: Backtest | null,
  isAble: (method: ForecastMethod) => boolean,
): ForecastMethod =>
  (tested?.methods ?? [])
    .filter(({ method }) => isAble(method))
    .reduce<MethodErrors>((best, one) => (one.mae < best.mae - NOISE ? one : best), {
      method: "naive",
      mae: Number.POSITIVE_INFINITY,
      wapePercent: null,
    }).method;
