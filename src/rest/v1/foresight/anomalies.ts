import { z } from "zod";
import { listQuery, pageOf } from "../../../catalogue/list.js";
import { listOf, upperCase } from "../../../catalogue/values.js";
import { ANOMALY_TYPES } from "../../../domain/foresight/findings.js";
import { GROUPINGS } from "../../../domain/foresight/groupings.js";
import { isMonth } from "../../../domain/window.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { ANOMALIES_EXAMPLE, anomaliesShape, describeAnomalies } from "./anomaly.js";

const number = (description: string) =>
  z
    .string()
    .refine((text) => /^-?\d{1,12}(\.\d{1,12})?([eE][+-]?\d{1,2})?$/.test(text), "expected a number")
    .transform(Number)
    .optional()
    .meta({ type: "number", description });

/** Which instrument. */
const instrumentFilter = {
  credit_type: z.string().meta({ description: "Credit type, in any case." }),
  exchange: z.string().meta({ description: "Exchange, in any case." }),
};

const month = (description: string) =>
  z.string().refine(isMonth, "expected a month, such as 2026-05").optional().meta({ description });

const query = listQuery.extend({
  types: listOf(ANOMALY_TYPES, "What to look for"),
  from: month("First month that is looked at, `YYYY-MM`; 23 months before the last if it is left out."),
  to: month("Last month that is looked at, `YYYY-MM`; the last complete month if it is left out."),
  z_threshold: number("The least robust score that is unusual, above 0; 3.5 if it is left out."),
  yoy_threshold: number(
    "The least change from a year before that is found, as a share; 0.25 if it is left out.",
  ),
});

const by = z
  .enum(GROUPINGS)
  .optional()
  .meta({ description: "How emissions are split; `facility_and_scope` if it is left out." });

const variablesOf = ({
  types,
  from,
  to,
  z_threshold,
  yoy_threshold,
  limit,
  cursor,
}: z.output<typeof query>) => ({
  types: types?.map(upperCase) ?? null,
  from: from ?? null,
  to: to ?? null,
  ...pageOf({ limit, cursor }),
  ...(z_threshold !== undefined && { zThreshold: z_threshold }),
  ...(yoy_threshold !== undefined && { yoyThreshold: yoy_threshold }),
});

const shown = { data: anomaliesShape, example: ANOMALIES_EXAMPLE };

const ofEmissions = graphql(`
  query RestAnomalies(
    $by: AnomalyGrouping, $types: [AnomalyType!], $from: String, $to: String, $zThreshold: Float,
    $yoyThreshold: Float, $first: Int, $after: String
  ) {
    emissions {
      anomalies(
        by: $by, types: $types, from: $from, to: $to, zThreshold: $zThreshold, yoyThreshold: $yoyThreshold
      ) { ...AnomaliesFields }
    }
  }
`);

/** What is unusual in monthly amounts. */
export const anomalies = [
  endpoint({
    path: "/anomalies",
    summary: "What is unusual in the monthly emissions of each facility and scope, latest month first",
    scope: "read:emissions",
    operation: ofEmissions,
    query,
    variables: ({ query }) => variablesOf(query),
    ...shown,
    reshape: ({ emissions: { anomalies } }) => describeAnomalies(anomalies),
  }),
  endpoint({
    path: "/emissions/anomalies",
    summary: "What is unusual in monthly emissions, latest month first",
    scope: "read:emissions",
    operation: ofEmissions,
    query: query.extend({ by }),
    variables: ({ query: { by, ...query } }) => ({ ...variablesOf(query), ...(by && { by: upperCase(by) }) }),
    ...shown,
    reshape: ({ emissions: { anomalies } }) => describeAnomalies(anomalies),
  }),
  endpoint({
    path: "/credits/anomalies",
    summary: "What is unusual in the credits that were retired by month, latest month first",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditAnomalies(
        $types: [AnomalyType!], $from: String, $to: String, $zThreshold: Float, $yoyThreshold: Float, $first: Int,
        $after: String
      ) {
        credits {
          anomalies(types: $types, from: $from, to: $to, zThreshold: $zThreshold, yoyThreshold: $yoyThreshold) {
            ...AnomaliesFields
          }
        }
      }
    `),
    query,
    variables: ({ query }) => variablesOf(query),
    ...shown,
    reshape: ({ credits: { anomalies } }) => describeAnomalies(anomalies),
  }),
  endpoint({
    path: "/market/anomalies",
    summary: "What is unusual in the last prices of the months of an instrument, latest month first",
    scope: "read:market",
    operation: graphql(`
      query RestMarketAnomalies(
        $creditType: String!, $exchange: String!, $types: [AnomalyType!], $from: String, $to: String,
        $zThreshold: Float, $yoyThreshold: Float, $first: Int, $after: String
      ) {
        market {
          anomalies(
            creditType: $creditType, exchange: $exchange, types: $types, from: $from, to: $to, zThreshold: $zThreshold,
            yoyThreshold: $yoyThreshold
          ) { ...AnomaliesFields }
        }
      }
    `),
    query: query.extend(instrumentFilter),
    variables: ({ query: { credit_type, exchange, ...query } }) => ({
      ...variablesOf(query),
      creditType: credit_type,
      exchange,
    }),
    ...shown,
    reshape: ({ market: { anomalies } }) => describeAnomalies(anomalies),
  }),
];
