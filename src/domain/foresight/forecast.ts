import { fitLine, type Line, type Point, type StudentT, sum, valueAt } from "./line.js";
import type { MonthlySeries } from "./series.js";

/** A range that contains the true value with a probability of `level` percent. */
export interface Interval {
  readonly level: number;
  readonly lower: number;
  readonly upper: number;
}

/** A forecast. Negative values are raised to 0, because emissions, credits and prices cannot be negative. */
export interface Forecast {
  readonly value: number;
  /** The value before raising. */
  readonly raw: number;
  /** Prediction intervals of the amount. */
  readonly prediction: readonly Interval[];
  /** True if the value or one of its bounds was raised. */
  readonly isClamped: boolean;
}

export interface MonthForecast extends Forecast {
  /** `YYYY-MM`. */
  readonly month: string;
  /**
   * Confidence intervals of the line. They are narrower than `prediction`, because single months scatter around the
   * line. Empty for a method without a line.
   */
  readonly confidence: readonly Interval[];
}

/** Forecast of the next `horizon` months. */
export interface Prediction {
  readonly horizon: number;
  /** The last of these months. */
  readonly month: MonthForecast;
  readonly cumulative: Forecast;
}

/** Errors that one-step forecasts of the past would have had. */
export interface Backtest {
  readonly folds: number;
  /** Mean absolute error. */
  readonly mae: number;
  /** Mean absolute error of the naive forecast, "as in the last month that has data". */
  readonly naiveMae: number;
  /** Sum of the absolute errors as a percentage of the sum of the amounts; null if that sum is 0. */
  readonly wapePercent: number | null;
}

/** Minimum number of months for fitting a line. */
export const LEAST_MONTHS = 6;

/** Forecasts of the months after a series, by its line. */
export interface LineForecast {
  readonly line: Line;
  /** Forecasts the `h`-th month after the series. */
  month(h: number): MonthForecast;
  /** Forecasts the sum of the next `h` months. */
  cumulative(h: number): Forecast;
}

/** Forecasts a series of at least six months with data by its line. `levels` are percentages between 0 and 100. */
export function forecastByLine(
  series: MonthlySeries,
  levels: readonly number[],
  studentT: StudentT,
): LineForecast {
  const line = fitLine(series.points, studentT);
  const { n, residualSd, meanX, sxx } = line;
  /** Returns the intervals around a value, for a variance of `factor` times that of a residual. */
  const intervals = (value: number, factor: number): Interval[] =>
    levels.map((level) => {
      const t = studentT.quantile((1 + level / 100) / 2, n - 2);
      const half = t * residualSd * Math.sqrt(factor);
      return { level, lower: value - half, upper: value + half };
    });
  return {
    line,
    month(h) {
      const x = series.length - 1 + h;
      const raw = valueAt(line, x);
      // Variance of the line at x (Draper and Smith, 3.1.2), and below, with the scatter of a single month (3.1.8).
      const ofLine = 1 / n + (x - meanX) ** 2 / sxx;
      const confidence = intervals(raw, ofLine);
      const forecast = raise(raw, intervals(raw, 1 + ofLine));
      return {
        month: series.monthAfter(h),
        ...forecast,
        confidence: confidence.map(raiseInterval),
        isClamped: forecast.isClamped || confidence.some(isNegative),
      };
    },
    cumulative(h) {
      const months = Array.from({ length: h }, (_, index) => series.length + index);
      const raw = sum(months, (x) => valueAt(line, x));
      // The months share one line, so their bounds must not be added. This is the variance of a linear combination.
      const distance = sum(months, (x) => x - meanX);
      return raise(raw, intervals(raw, h + h ** 2 / n + distance ** 2 / sxx));
    },
  };
}

const isNegative = ({ lower, upper }: Interval) => lower < 0 || upper < 0;
const raiseInterval = ({ level, lower, upper }: Interval): Interval => ({
  level,
  lower: Math.max(0, lower),
  upper: Math.max(0, upper),
});

/** Raises a value and its bounds to 0 if they are negative. */
export const raise = (raw: number, prediction: readonly Interval[]): Forecast => ({
  value: Math.max(0, raw),
  raw,
  prediction: prediction.map(raiseInterval),
  isClamped: raw < 0 || prediction.some(isNegative),
});

/**
 * Compares the line with the forecast "the same as last month" by rolling origin (Hyndman and Athanasopoulos,
 * Forecasting: Principles and Practice, 3rd edition, 5.10): forecasts each month with data, from the seventh on, from
 * those before it. Null for six months.
 */
export function backtest(points: readonly Point[], studentT: StudentT): Backtest | null {
  const folds = points.slice(LEAST_MONTHS).map((point, index) => {
    const known = points.slice(0, LEAST_MONTHS + index);
    const error = Math.abs(valueAt(fitLine(known, studentT), point.x) - point.y);
    return { error, naive: Math.abs((known.at(-1)?.y ?? 0) - point.y), amount: Math.abs(point.y) };
  });
  if (folds.length === 0) return null;
  const errors = sum(folds, ({ error }) => error);
  const amounts = sum(folds, ({ amount }) => amount);
  return {
    folds: folds.length,
    mae: errors / folds.length,
    naiveMae: sum(folds, ({ naive }) => naive) / folds.length,
    wapePercent: amounts === 0 ? null : (100 * errors) / amounts,
  };
}
