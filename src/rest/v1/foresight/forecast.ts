import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { toRecordFilter } from "../emissions/record-filters.js";
import { emissionFilter, forecastQuery, instrumentFilter } from "./query.js";
import { describeForecast, FORECAST_EXAMPLE, forecastShape } from "./shapes.js";

const shown = { data: forecastShape, example: FORECAST_EXAMPLE, failures: ["INSUFFICIENT_DATA"] as const };

/** What is to be expected of a module's monthly amounts. */
export const forecasts = [
  endpoint({
    path: "/emissions/forecast",
    summary: "Emissions of the next months, by a line through the months before",
    scope: "read:emissions",
    operation: graphql(`
      query RestEmissionForecast($filter: EmissionRecordFilter, $horizon: Int, $levels: [Float!], $window: Int) {
        emissions(filter: $filter) {
          forecast(horizon: $horizon, levels: $levels, window: $window) { ...ForecastFields }
        }
      }
    `),
    query: forecastQuery.extend(emissionFilter),
    variables: ({ query: { scope, facility, category, ...query } }) => ({
      ...query,
      filter: toRecordFilter({ scope, facility, category }),
    }),
    ...shown,
    reshape: ({ emissions: { forecast } }) => describeForecast("emissions", forecast),
  }),
  endpoint({
    path: "/credits/forecast",
    summary: "Credits that will be retired in the next months, by a line through the months before",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditForecast($horizon: Int, $levels: [Float!], $window: Int) {
        credits { forecast(horizon: $horizon, levels: $levels, window: $window) { ...ForecastFields } }
      }
    `),
    query: forecastQuery,
    variables: ({ query }) => query,
    ...shown,
    reshape: ({ credits: { forecast } }) => describeForecast("credits", forecast),
  }),
  endpoint({
    path: "/market/forecast",
    summary: "The price of an instrument in the next months, by a line through the months before",
    scope: "read:market",
    operation: graphql(`
      query RestMarketForecast(
        $creditType: String!, $exchange: String!, $horizon: Int, $levels: [Float!], $window: Int
      ) {
        market {
          forecast(
            creditType: $creditType, exchange: $exchange, horizon: $horizon, levels: $levels, window: $window
          ) { ...ForecastFields }
        }
      }
    `),
    query: forecastQuery.extend(instrumentFilter),
    variables: ({ query: { credit_type, ...query } }) => ({ ...query, creditType: credit_type }),
    ...shown,
    reshape: ({ market: { forecast } }) => describeForecast("market", forecast),
  }),
];
