import {
  type Backtest,
  backtest,
  type Forecast,
  forecastByLine,
  type Interval,
  LEAST_MONTHS,
  type MonthForecast,
} from "../../domain/foresight/forecast.js";
import type { Direction, Line } from "../../domain/foresight/line.js";
import type { ForecastMethod, ForecastModule } from "../../domain/foresight/methods.js";
import { LEAST_SEASONAL_MONTHS, predictSeasonally } from "../../domain/foresight/seasonal-naive.js";
import { type MonthAmount, type MonthlySeries, takeSeries } from "../../domain/foresight/series.js";
import { AppError } from "../../errors.js";
import { normalQuantile, studentT } from "./distributions.js";

/** Monthly amounts with their unit, up to the last complete month `to`, `YYYY-MM`. */
export interface Monthly<Amount extends MonthAmount = MonthAmount> {
  readonly module: ForecastModule;
  readonly unit: string;
  readonly amounts: readonly Amount[];
  readonly to: string;
}

/** The data that a forecast is based on. */
export interface Basis {
  readonly module: ForecastModule;
  readonly unit: string;
  readonly method: ForecastMethod;
  /** Number of months with data. */
  readonly n: number;
  readonly from: string;
  readonly to: string;
  readonly excludedMonths: readonly string[];
}

export interface ForecastOptions {
  readonly window: number;
  /** Percentages above 0 and below 100. */
  readonly levels: readonly number[];
}

export interface ForecastReport extends Basis {
  readonly model: Readonly<Pick<Line, "slope" | "intercept" | "r2" | "residualSd" | "pValue">> & {
    readonly direction: Direction;
  };
  readonly points: readonly MonthForecast[];
  readonly backtest: Backtest | null;
  readonly notices: readonly "NAIVE_IS_BETTER"[];
}

/**
 * Forecasts the next `horizon` months by a line. Amounts are rounded to 3 decimals, the model to 6. Throws
 * INSUFFICIENT_DATA for fewer than 6 months with data.
 */
export function forecastMonths(
  monthly: Monthly,
  { horizon, window, levels }: ForecastOptions & { readonly horizon: number },
): ForecastReport {
  const series = requireSeries(monthly, window, LEAST_MONTHS);
  const { line, month } = forecastByLine(series, levels, studentT);
  const tested = backtest(series.points, studentT);
  return {
    ...basisOf(monthly, series, "ols"),
    model: {
      slope: round(line.slope, 6),
      intercept: round(line.intercept, 6),
      r2: line.r2 === null ? null : round(line.r2, 6),
      residualSd: round(line.residualSd, 6),
      pValue: line.pValue === null ? null : round(line.pValue, 6),
      direction: line.direction,
    },
    points: Array.from({ length: horizon }, (_, index) => roundMonth(month(index + 1))),
    backtest: tested && {
      folds: tested.folds,
      mae: round(tested.mae),
      naiveMae: round(tested.naiveMae),
      wapePercent: tested.wapePercent === null ? null : round(tested.wapePercent, 2),
    },
    notices: tested && tested.naiveMae < tested.mae ? ["NAIVE_IS_BETTER"] : [],
  };
}

/** Horizons of predictions, in months. */
const HORIZONS = [1, 3, 6];

export interface PredictionReport extends Basis {
  readonly predictions: readonly {
    readonly horizon: number;
    /** The last month of the horizon. */
    readonly month: MonthForecast;
    /** The sum of all months; null where a sum has no meaning. */
    readonly cumulative: Forecast | null;
  }[];
}

/**
 * Predicts the amount in 1, 3 and 6 months, and the sums until then. Amounts are rounded to 3 decimals. Throws
 * INSUFFICIENT_DATA for fewer months with data than the method needs: 6, or 24 for the seasonal one, which also needs
 * the same months of the year before.
 */
export function predictMonths(
  monthly: Monthly,
  {
    method,
    window,
    levels,
    isSummed,
  }: ForecastOptions & { readonly method: ForecastMethod; isSummed: boolean },
): PredictionReport {
  const isSeasonal = method === "seasonal_naive";
  const series = requireSeries(monthly, window, isSeasonal ? LEAST_SEASONAL_MONTHS : LEAST_MONTHS);
  const byLine = forecastByLine(series, levels, studentT);
  const predictions = isSeasonal
    ? predictSeasonally(series, HORIZONS, levels, normalQuantile)
    : HORIZONS.map((horizon) => ({
        horizon,
        month: byLine.month(horizon),
        cumulative: byLine.cumulative(horizon),
      }));
  if (!predictions) throw insufficient(LEAST_SEASONAL_MONTHS, series.points.length);
  return {
    ...basisOf(monthly, series, method),
    predictions: predictions.map(({ horizon, month, cumulative }) => ({
      horizon,
      month: roundMonth(month),
      cumulative: isSummed ? roundForecast(cumulative) : null,
    })),
  };
}

function requireSeries({ amounts, to }: Monthly, window: number, least: number): MonthlySeries {
  const series = takeSeries(amounts, { to, window });
  if (series && series.points.length >= least) return series;
  throw insufficient(least, series?.points.length ?? 0);
}

function insufficient(required: number, available: number): AppError {
  return new AppError(
    "INSUFFICIENT_DATA",
    `Too few months with data: ${required} are required, ${available} are available.`,
    { extensions: { required, available } },
  );
}

const basisOf = (
  { module, unit }: Monthly,
  { points, from, to, gaps }: MonthlySeries,
  method: ForecastMethod,
): Basis => ({
  module,
  unit,
  method,
  n: points.length,
  from,
  to,
  excludedMonths: gaps,
});

/** Rounds a number. Adding 0 turns a negative zero into zero. */
const round = (value: number, decimals = 3): number => Number(value.toFixed(decimals)) + 0;

const roundIntervals = (intervals: readonly Interval[]) =>
  intervals.map(({ level, lower, upper }) => ({ level, lower: round(lower), upper: round(upper) }));

const roundForecast = ({ value, raw, prediction, isClamped }: Forecast): Forecast => ({
  value: round(value),
  raw: round(raw),
  prediction: roundIntervals(prediction),
  isClamped,
});

const roundMonth = ({ month, confidence, ...forecast }: MonthForecast): MonthForecast => ({
  month,
  ...roundForecast(forecast),
  confidence: roundIntervals(confidence),
});
