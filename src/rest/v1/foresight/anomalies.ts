import { z } from "zod";
import { ANOMALY_TYPES, FINDING_TYPES, SEVERITIES } from "../../../domain/foresight/findings.js";
import { GROUPINGS } from "../../../domain/foresight/groupings.js";
import { monthNumber } from "../../../domain/window.js";
import { type AnomaliesFieldsFragment, graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { scopeShape } from "../emissions/factor.js";
import { listQuery, nextCursor, pageOf } from "../list.js";
import { listOf, upperCase } from "../values.js";
import { instrumentFilter } from "./query.js";

const number = (description: string) =>
  z
    .string()
    .refine((text) => /^-?\d{1,12}(\.\d{1,12})?([eE][+-]?\d{1,2})?$/.test(text), "expected a number")
    .transform(Number)
    .optional()
    .meta({ type: "number", description });

const month = (description: string) =>
  z
    .string()
    .refine((text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), "expected a month, such as 2026-05")
    .optional()
    .meta({ description });

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
  ...{
    types: types?.map(upperCase) ?? null,
    from: from ?? null,
    to: to ?? null,
    ...pageOf({ limit, cursor }),
  },
  ...(z_threshold !== undefined && { zThreshold: z_threshold }),
  ...(yoy_threshold !== undefined && { yoyThreshold: yoy_threshold }),
});

const seriesShape = z
  .object({
    ...{ name: z.string(), facility: z.string().nullable(), scope: scopeShape.nullable() },
    ...{
      category: z.string().nullable(),
      credit_type: z.string().nullable(),
      exchange: z.string().nullable(),
    },
  })
  .meta({ id: "AnomalySeries", description: "What a series is about. What it is not split by is null." });

const anomalyShape = z
  .object({
    id: z.string().meta({ description: "Stays the same as long as it is found." }),
    type: z.enum(FINDING_TYPES),
    severity: z.enum(SEVERITIES),
    month: z.string().meta({ description: "The month, or the first of a gap, `YYYY-MM`." }),
    series: seriesShape,
    value: z.number().nullable().meta({ description: "Null for a gap." }),
    expected: z.number().nullable().meta({ description: "The median, or the amount a year before." }),
    change_pct: z.number().nullable(),
    z_score: z.number().nullable(),
    robust_z: z.number().nullable(),
    periods: z.int().nullable().meta({ description: "Number of periods of a gap." }),
    trailing: z.boolean().nullable().meta({ description: "Whether a gap lasts until now." }),
    explanation: z.string(),
    record_ids: z.array(z.guid()).meta({ description: "At most 20, largest first." }),
    acknowledged: z
      .boolean()
      .meta({ description: "Whether somebody has looked at it, and its amount is still the same." }),
  })
  .meta({ id: "Anomaly" });

const acknowledgementShape = z
  .object({
    id: z.string(),
    value: z.number().meta({ description: "The amount, or the number of periods of a gap." }),
    note: z.string().nullable(),
    acknowledged_by: z.uuid().meta({ description: "Id of the person." }),
    acknowledged_at: z.iso.datetime(),
  })
  .meta({ id: "AnomalyAcknowledgement" });

const data = z
  .object({
    items: z.array(anomalyShape),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page." }),
    evaluated: z
      .object({ series: z.int(), months: z.int() })
      .meta({ id: "Evaluated", description: "How many series and months were looked at." }),
    not_evaluated: z.array(
      z.object({ series: seriesShape, reason: z.literal("INSUFFICIENT_DATA") }).meta({ id: "NotEvaluated" }),
    ),
  })
  .meta({ id: "Anomalies" });

graphql(`
  fragment AnomaliesFields on Anomalies {
    evaluatedSeries from to
    notEvaluated { name facility scope category creditType exchange }
    findings(first: $first, after: $after) {
      nodes {
        findingId type severity month series { name facility scope category creditType exchange }
        value expected changePct zScore robustZ periods trailing explanation recordIds
        acknowledged
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const describeSeries = (
  series: AnomaliesFieldsFragment["notEvaluated"][number],
): z.infer<typeof seriesShape> => ({
  ...{ name: series.name, facility: series.facility ?? null, category: series.category ?? null },
  ...{ credit_type: series.creditType ?? null, exchange: series.exchange ?? null },
  scope: series.scope ? lowerCase(series.scope) : null,
});

const describe = ({
  evaluatedSeries,
  from,
  to,
  notEvaluated,
  findings,
}: AnomaliesFieldsFragment): z.infer<typeof data> => ({
  items: findings.nodes.map((found) => ({
    ...{
      id: found.findingId,
      type: lowerCase(found.type),
      severity: lowerCase(found.severity),
      month: found.month,
    },
    ...{ series: describeSeries(found.series), value: found.value ?? null, expected: found.expected ?? null },
    ...{
      change_pct: found.changePct ?? null,
      z_score: found.zScore ?? null,
      robust_z: found.robustZ ?? null,
    },
    ...{ periods: found.periods ?? null, trailing: found.trailing ?? null, explanation: found.explanation },
    record_ids: [...found.recordIds],
    acknowledged: found.acknowledged,
  })),
  next_cursor: nextCursor(findings.pageInfo),
  evaluated: { series: evaluatedSeries, months: monthNumber(to) - monthNumber(from) + 1 },
  not_evaluated: notEvaluated.map((series) => ({
    series: describeSeries(series),
    reason: "INSUFFICIENT_DATA",
  })),
});

const SERIES = {
  ...{ name: "facility=PUNE:scope_2", facility: "PUNE", scope: "scope_2" as const },
  ...{ category: null, credit_type: null, exchange: null },
};
const EXAMPLE: z.infer<typeof data> = {
  items: [
    {
      ...{
        id: "yoy:facility=PUNE:scope_2:2026-05",
        type: "yoy",
        severity: "medium",
        month: "2026-05",
        series: SERIES,
      },
      ...{ value: 140, expected: 88, change_pct: 59.09, z_score: 2.664, robust_z: 2.685 },
      ...{ periods: null, trailing: null, explanation: "59.09 % above May 2025 (88 t)" },
      record_ids: ["5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a"],
      acknowledged: false,
    },
  ],
  ...{ next_cursor: null, evaluated: { series: 6, months: 24 } },
  not_evaluated: [
    { series: { ...SERIES, name: "facility=PUNE:scope_3", scope: "scope_3" }, reason: "INSUFFICIENT_DATA" },
  ],
};

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
    data,
    example: EXAMPLE,
    reshape: ({ emissions: { anomalies } }) => describe(anomalies),
  }),
  endpoint({
    method: "POST",
    path: "/anomalies/acknowledgements",
    summary: "Marks what was found as looked at, for as long as its amount stays the same",
    scope: "write:emissions",
    operation: graphql(`
      mutation RestAcknowledgeAnomaly($findingId: String!, $note: String) {
        acknowledgeAnomaly(findingId: $findingId, note: $note) { findingId value note acknowledgedBy acknowledgedAt }
      }
    `),
    body: z.strictObject({
      id: z.string().meta({ description: "The id of the anomaly." }),
      note: z.string().nullish().meta({ description: "What was learnt, up to 1,000 characters." }),
    }),
    variables: ({ body: { id, note } }) => ({ findingId: id, note: note ?? null }),
    data: acknowledgementShape,
    example: {
      ...{ id: "yoy:facility=PUNE:scope_2:2026-05", value: 140, note: "A boiler was tested." },
      acknowledged_by: "7c9a3a52-0d6b-4b8e-9d3e-6a1f0c2b5e41",
      acknowledged_at: "2026-11-20T10:00:00.000Z",
    },
    reshape: ({ acknowledgeAnomaly: { findingId, value, note, acknowledgedBy, acknowledgedAt } }) => ({
      ...{ id: findingId, value, note: note ?? null, acknowledged_by: acknowledgedBy },
      acknowledged_at: acknowledgedAt.toISOString(),
    }),
    failures: ["NOT_FOUND"],
  }),
  endpoint({
    path: "/emissions/anomalies",
    summary: "What is unusual in monthly emissions, latest month first",
    scope: "read:emissions",
    operation: ofEmissions,
    query: query.extend({ by }),
    variables: ({ query: { by, ...query } }) => ({ ...variablesOf(query), ...(by && { by: upperCase(by) }) }),
    data,
    example: EXAMPLE,
    reshape: ({ emissions: { anomalies } }) => describe(anomalies),
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
    data,
    example: EXAMPLE,
    reshape: ({ credits: { anomalies } }) => describe(anomalies),
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
      ...{ ...variablesOf(query), creditType: credit_type, exchange },
    }),
    data,
    example: EXAMPLE,
    reshape: ({ market: { anomalies } }) => describe(anomalies),
  }),
];
