import { type Backtest, backtest, findBest } from "../../domain/foresight/backtest.js";
import { MIN_MONTHS } from "../../domain/foresight/fits.js";
import {
  type Forecast,
  type Forecaster,
  forecastBy,
  type Interval,
  type MonthForecast,
} from "../../domain/foresight/forecast.js";
import type { ForecastMethod, ForecastModule, MethodChoice } from "../../domain/foresight/methods.js";
import { type MonthAmount, type MonthlySeries, takeSeries } from "../../domain/foresight/monthly-series.js";
import { type Direction, fitLine, type Line } from "../../domain/foresight/trend-line.js";
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
  readonly method: MethodChoice;
  readonly window: number;
  /** Percentages above 0 and below 100. */
  readonly levels: readonly number[];
}

/** A backtest with the errors of the chosen and the naive method. */
interface TestedForecast extends Backtest, Omit<Backtest["methods"][number], "method"> {
  readonly naiveMae: number;
}

export interface ForecastReport extends Basis {
  /** The linear trend of the months, regardless of the forecast method. */
  readonly model: Readonly<Pick<Line, "slope" | "intercept" | "r2" | "residualSd" | "pValue">> & {
    readonly direction: Direction;
  };
  readonly points: readonly MonthForecast[];
  readonly backtest: TestedForecast | null;
  readonly notices: readonly "NAIVE_IS_BETTER"[];
}

/**
 * Forecasts the next `horizon` months. Amounts are rounded to 3 decimals, the model to 6. Throws INSUFFICIENT_DATA for
 * fewer months with data than the method needs: 6, or 24 for a seasonal one, which also needs data of each month of the
 * year.
 */
export function forecastMonths(
  monthly: Monthly,
  { horizon, ...options }: ForecastOptions & { readonly horizon: number },
): ForecastReport {
  const { basis, series, tested, forecaster } = prepare(monthly, horizon, options);
  const line = fitLine(series.points, studentT);
  const methods = (tested?.methods ?? []).map(({ method, mae, wapePercent }) => ({
    method,
    mae: round(mae),
    wapePercent: wapePercent === null ? null : round(wapePercent, 2),
  }));
  const errorsOf = (method: ForecastMethod) => methods.find((one) => one.method === method);
  const [own, naive] = [errorsOf(basis.method), errorsOf("naive")];
  return {
    ...basis,
    model: {
      slope: round(line.slope, 6),
      intercept: round(line.intercept, 6),
      r2: line.r2 === null ? null : round(line.r2, 6),
      residualSd: round(line.residualSd, 6),
      pValue: line.pValue === null ? null : round(line.pValue, 6),
      direction: line.direction,
    },
    points: Array.from({ length: horizon }, (_, index) => roundMonth(forecaster.month(index + 1))),
    backtest:
      tested && own && naive
        ? { folds: tested.folds, mae: own.mae, wapePercent: own.wapePercent, naiveMae: naive.mae, methods }
        : null,
    notices: own && naive && naive.mae < own.mae ? ["NAIVE_IS_BETTER"] : [],
  };
}

/** Reads the series and chooses the method. */
function prepare(
  monthly: Monthly,
  months: number,
  { method: choice, window, levels }: ForecastOptions,
): { basis: Basis; series: MonthlySeries; tested: Backtest | null; forecaster: Forecaster } {
  const required = choice === "best" ? MIN_MONTHS.naive : MIN_MONTHS[choice];
  const series = requireSeries(monthly, window, required);
  const n = series.points.length;
  const forecast = (method: ForecastMethod) =>
    n < MIN_MONTHS[method] ? null : forecastBy(method, series, { months, levels }, DISTRIBUTIONS);
  const tested = backtest(series.points, choice, DISTRIBUTIONS);
  const method = choice === "best" ? findBest(tested, (one) => forecast(one) !== null) : choice;
  const forecaster = forecast(method);
  if (!forecaster) throw insufficient(required, n);
  return { basis: basisOf(monthly, series, method), series, tested, forecaster };
}

const DISTRIBUTIONS = { studentT, normalQuantile };

/** Horizons of predictions, in months. */
const HORIZONS = [1, 3, 6];

export interface PredictionReport extends Basis {
  readonly predictions: readonly {
    readonly horizon: number;
    /** The last month of the horizon. */
    readonly month: MonthForecast;
    /** The sum of all months; null where a sum is meaningless. */
    readonly cumulative: Forecast | null;
  }[];
}

/**
 * Predicts the amount in 1, 3 and 6 months, and the sums until then. Amounts are rounded to 3 decimals. Throws
 * INSUFFICIENT_DATA as `forecastMonths` does.
 */
export function predictMonths(
  monthly: Monthly,
  { isSummed, ...options }: ForecastOptions & { readonly isSummed: boolean },
): PredictionReport {
  const { basis, forecaster } = prepare(monthly, Math.max(...HORIZONS), options);
  return {
    ...basis,
    predictions: HORIZONS.map((horizon) => ({
      horizon,
      month: roundMonth(forecaster.month(horizon)),
      cumulative: isSummed ? roundForecast(forecaster.cumulative(horizon)) : null,
    })),
  };
}

function requireSeries({ amounts, to }: Monthly, window: number, min: number): MonthlySeries {
  const series = takeSeries(amounts, { to, window });
  if (series && series.points.length >= min) return series;
  throw insufficient(min, series?.points.length ?? 0);
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
