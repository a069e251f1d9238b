import { z } from "zod";
import { nextCursor } from "../../../catalogue/list.js";
import { FINDING_TYPES, SEVERITIES } from "../../../domain/foresight/findings.js";
import { monthNumber } from "../../../domain/window.js";
import { type AnomaliesFieldsFragment, graphql } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";
import { scopeShape } from "../calculations/factor.js";

const seriesShape = z
  .object({
    name: z.string(),
    facility: z.string().nullable(),
    scope: scopeShape.nullable(),
    category: z.string().nullable(),
    credit_type: z.string().nullable(),
    exchange: z.string().nullable(),
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

/** The shape of what was looked at and found. */
export const anomaliesShape = z
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
  name: series.name,
  facility: series.facility ?? null,
  category: series.category ?? null,
  credit_type: series.creditType ?? null,
  exchange: series.exchange ?? null,
  scope: series.scope ? lowerCase(series.scope) : null,
});

/** What was looked at and found, in REST's spelling. */
export const describeAnomalies = ({
  evaluatedSeries,
  from,
  to,
  notEvaluated,
  findings,
}: AnomaliesFieldsFragment): z.infer<typeof anomaliesShape> => ({
  items: findings.nodes.map((found) => ({
    id: found.findingId,
    type: lowerCase(found.type),
    severity: lowerCase(found.severity),
    month: found.month,
    series: describeSeries(found.series),
    value: found.value ?? null,
    expected: found.expected ?? null,
    change_pct: found.changePct ?? null,
    z_score: found.zScore ?? null,
    robust_z: found.robustZ ?? null,
    periods: found.periods ?? null,
    trailing: found.trailing ?? null,
    explanation: found.explanation,
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
  name: "facility=PUNE:scope_2",
  facility: "PUNE",
  scope: "scope_2" as const,
  category: null,
  credit_type: null,
  exchange: null,
};
export const ANOMALIES_EXAMPLE: z.infer<typeof anomaliesShape> = {
  items: [
    {
      id: "yoy:facility=PUNE:scope_2:2026-05",
      type: "yoy",
      severity: "medium",
      month: "2026-05",
      series: SERIES,
      value: 140,
      expected: 88,
      change_pct: 59.09,
      z_score: 2.664,
      robust_z: 2.685,
      periods: null,
      trailing: null,
      explanation: "59.09 % above May 2025 (88 t)",
      record_ids: ["5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a"],
      acknowledged: false,
    },
  ],
  next_cursor: null,
  evaluated: { series: 6, months: 24 },
  not_evaluated: [
    { series: { ...SERIES, name: "facility=PUNE:scope_3", scope: "scope_3" }, reason: "INSUFFICIENT_DATA" },
  ],
};
