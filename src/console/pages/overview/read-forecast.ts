import { type ConsoleForecastQuery, graphql } from "../../../generated/console.js";

/** The months behind the forecast, in the gateway's calendar. */
export const READ_MONTHS = graphql(`
  query ConsoleForecastMonths {
    emissions { forecast { from to } }
  }
`);

/** The forecast, and the amounts of the months in a range. */
export const READ_FORECAST = graphql(`
  query ConsoleForecast($range: DateRangeInput!) {
    emissions(range: $range) {
      trend { from co2eTonnes isGap }
      forecast {
        n
        from
        to
        model { slope pValue direction }
        points { month value prediction { level lower upper } }
        backtest { folds mae naiveMae wapePercent }
        notices
      }
    }
  }
`);

type Emissions = NonNullable<ConsoleForecastQuery["emissions"]>;

/** A forecast of the months after the last complete one. */
export type Forecast = NonNullable<Emissions["forecast"]>;

/** Recorded emissions by month. */
export type Trend = Emissions["trend"];
