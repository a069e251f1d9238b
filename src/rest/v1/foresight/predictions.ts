import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { toRecordFilter } from "../emissions/record-filters.js";
import { emissionFilter, instrumentFilter, methodOf, predictionsQuery } from "./query.js";
import { describePredictions, PREDICTIONS_EXAMPLE, predictionsShape } from "./shapes.js";

const shown = {
  data: predictionsShape,
  example: PREDICTIONS_EXAMPLE,
  failures: ["INSUFFICIENT_DATA"] as const,
};

/** What is to be expected of a module in 1, 3 and 6 months. */
export const predictions = [
  endpoint({
    path: "/emissions/predictions",
    summary: "Emissions in 1, 3 and 6 months, and until then",
    scope: "read:emissions",
    operation: graphql(`
      query RestEmissionPredictions(
        $filter: EmissionRecordFilter, $method: ForecastMethod, $levels: [Float!], $window: Int
      ) {
        emissions(filter: $filter) {
          predictions(method: $method, levels: $levels, window: $window) { ...PredictionsFields }
        }
      }
    `),
    query: predictionsQuery.extend(emissionFilter),
    variables: ({ query: { scope, facility, category, method, ...query } }) => ({
      ...query,
      ...methodOf(method),
      filter: toRecordFilter({ scope, facility, category }),
    }),
    ...shown,
    reshape: ({ emissions: { predictions } }) => describePredictions("emissions", predictions),
  }),
  endpoint({
    path: "/credits/predictions",
    summary: "Credits that will be retired in 1, 3 and 6 months, and until then",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditPredictions($method: ForecastMethod, $levels: [Float!], $window: Int) {
        credits { predictions(method: $method, levels: $levels, window: $window) { ...PredictionsFields } }
      }
    `),
    query: predictionsQuery,
    variables: ({ query: { method, ...query } }) => ({ ...query, ...methodOf(method) }),
    ...shown,
    reshape: ({ credits: { predictions } }) => describePredictions("credits", predictions),
  }),
  endpoint({
    path: "/market/predictions",
    summary: "The price of an instrument in 1, 3 and 6 months",
    scope: "read:market",
    operation: graphql(`
      query RestMarketPredictions(
        $creditType: String!, $exchange: String!, $method: ForecastMethod, $levels: [Float!], $window: Int
      ) {
        market {
          predictions(
            creditType: $creditType, exchange: $exchange, method: $method, levels: $levels, window: $window
          ) { ...PredictionsFields }
        }
      }
    `),
    query: predictionsQuery.extend(instrumentFilter),
    variables: ({ query: { credit_type, method, ...query } }) => ({
      ...query,
      ...methodOf(method),
      creditType: credit_type,
    }),
    ...shown,
    reshape: ({ market: { predictions } }) => describePredictions("market", predictions),
  }),
];
