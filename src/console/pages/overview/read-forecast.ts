import { type ConsoleForecastQuery, graphql } from "../../../generated/console.js";

/**
 * The months that the forecast is based on, in the gateway's calendar. The window has the 24 months that seasonal
 * methods need, and 12 more to test them.
 */
export const READ_MONTHS = graphql(`
  query ConsoleForecastMonths {
    emissions { forecast(method: BEST, window: 36) { from to } }
  }
`);

/** The forecast and the emissions of each month in a range. */
export const READ_FORECAST = graphql(`
  query ConsoleForecast($range: DateRangeInput!) {
    emissions(range: $range) {
      trend { from co2eTonnes isGap }
      forecast(method: BEST, window: 36) {
        method
        n
        from
        to
        model { slope pValue direction }
        points { month value prediction { level lower upper } }
        backtest { folds mae wapePercent methods { method mae } }
      }
    }
  }
`);

type Emissions = NonNullable<ConsoleForecastQuery["emissions"]>;

/** A forecast of the months after the last complete one. */
export type Forecast = NonNullable<Emissions["forecast"]>;

/** Recorded emissions by month. */
export type Trend = Emissions["trend"];
