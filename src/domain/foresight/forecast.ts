import { type Distributions, FITS } from "./fits.js";
import type { ForecastMethod } from "./methods.js";
import type { MonthlySeries } from "./monthly-series.js";
import { sum } from "./trend-line.js";

/** A range that contains the true value with a probability of `level` percent. */
export interface Interval {
  readonly level: number;
  readonly lower: number;
  readonly upper: number;
}

/** A forecast. Negative values are clamped to 0, because emissions, credits and prices cannot be negative. */
export interface Forecast {
  readonly value: number;
  /** The value before clamping. */
  readonly raw: number;
  /** Prediction intervals of the amount. */
  readonly prediction: readonly Interval[];
  /** True if the value or one of its bounds was clamped. */
  readonly isClamped: boolean;
}

export interface MonthForecast extends Forecast {
  /** `YYYY-MM`. */
  readonly month: string;
  /**
   * Confidence intervals of the line. They are narrower than `prediction`, because months scatter around the line.
   * Empty for a method without a line.
   */
  readonly confidence: readonly Interval[];
}

/** Forecasts for the months after a series. */
export interface Forecaster {
  /** Forecasts the `h`-th month after the series. */
  month(h: number): MonthForecast;
  /** Forecasts the sum of the next `h` months. */
  cumulative(h: number): Forecast;
}

/**
 * Forecasts the next `months` months, at most 12. `levels` are percentages between 0 and 100. Returns null if the
 * method cannot forecast one of these months, or if the points do not determine its error.
 */
export function forecastBy(
  method: ForecastMethod,
  series: MonthlySeries,
  { months, levels }: { readonly months: number; readonly levels: readonly number[] },
  distributions: Distributions,
): Forecaster | null {
  const fit = FITS[method](series.points, distributions);
  const ahead = Array.from({ length: months }, (_, index) => series.length + index);
  const values = ahead.flatMap((x) => fit?.value(x) ?? []);
  if (!fit || values.length < months || Number.isNaN(fit.sd)) return null;
  const { sd, scatter, ofLine, quantile } = fit;
  const intervals = (value: number, variance: number): Interval[] =>
    levels.map((level) => {
      const half = quantile((1 + level / 100) / 2) * sd * Math.sqrt(variance);
      return { level, lower: value - half, upper: value + half };
    });
  const forecast = (raw: number, xs: readonly number[]) =>
    clamp(raw, intervals(raw, scatter(xs) + (ofLine?.(xs) ?? 0)));
  return {
    month(h) {
      const [value = 0, xs] = [values[h - 1], ahead.slice(h - 1, h)];
      const confidence = ofLine ? intervals(value, ofLine(xs)) : [];
      const month = forecast(value, xs);
      return {
        month: series.monthAfter(h),
        ...month,
        confidence: confidence.map(clampInterval),
        isClamped: month.isClamped || confidence.some(isNegative),
      };
    },
    cumulative: (h) =>
      forecast(
        sum(values.slice(0, h), (value) => value),
        ahead.slice(0, h),
      ),
  };
}

const isNegative = ({ lower, upper }: Interval) => lower < 0 || upper < 0;
const clampInterval = ({ level, lower, upper }: Interval): Interval => ({
  level,
  lower: Math.max(0, lower),
  upper: Math.max(0, upper),
});

const clamp = (raw: number, prediction: readonly Interval[]): Forecast => ({
  value: Math.max(0, raw),
  raw,
  prediction: prediction.map(clampInterval),
  isClamped: raw < 0 || prediction.some(isNegative),
});
