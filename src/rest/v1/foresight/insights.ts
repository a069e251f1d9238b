import { z } from "zod";
import { SEVERITIES } from "../../../domain/foresight/findings.js";
import { INSIGHT_KINDS } from "../../../domain/insights/insight.js";
import { graphql, type InsightFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const figureShape = z.object({ name: z.string(), value: z.number(), unit: z.string() }).meta({
  id: "InsightFigure",
  description: "A percentage that the query does not answer with is computed from the first two figures.",
});

const insightShape = z
  .object({
    id: z.string().meta({ description: "Stays the same as long as it is about the same thing." }),
    kind: z.enum(INSIGHT_KINDS),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    body: z.string(),
    figures: z.array(figureShape),
    query: z
      .object({ name: z.string(), document: z.string(), variables: z.record(z.string(), z.unknown()) })
      .meta({ id: "InsightQuery", description: "The operation of the graph that answers with the figures." }),
    record_ids: z.array(z.guid()).optional().meta({ description: "At most 20; left out if there are none." }),
    source_url: z.string().optional().meta({ description: "Left out if no publication is cited." }),
  })
  .meta({ id: "Insight" });

graphql(`
  fragment InsightFields on Insight {
    insightId kind severity title body figures { name value unit } query { name document variables } recordIds sourceUrl
  }
`);

const describeInsight = ({
  insightId,
  recordIds,
  sourceUrl,
  ...insight
}: InsightFieldsFragment): z.infer<typeof insightShape> => ({
  id: insightId,
  kind: lowerCase(insight.kind),
  severity: lowerCase(insight.severity),
  title: insight.title,
  body: insight.body,
  figures: [...insight.figures],
  query: insight.query,
  ...(recordIds.length > 0 && { record_ids: [...recordIds] }),
  ...(sourceUrl != null && { source_url: sourceUrl }),
});

const listShape = z.object({ items: z.array(insightShape) }).meta({ id: "Insights" });

const day = (description: string) => z.iso.date().nullish().meta({ description });
const body = z
  .strictObject({
    from: day("First day that is looked at; each module has its own if it is left out."),
    to: day("Last day that is looked at."),
    limit: z.int().min(1).max(20).default(5),
  })
  .prefault({});

const shared = {
  method: "POST" as const,
  body,
  data: listShape,
  variables: ({ body: { from, to, limit } }: { body: z.output<typeof body> }) => ({
    from: from ?? null,
    to: to ?? null,
    first: limit,
  }),
};

const describe = (found: readonly InsightFieldsFragment[]) => ({ items: found.map(describeInsight) });

const exampleOf = (insight: z.infer<typeof insightShape>) => ({ items: [insight] });

/** What stands out in each module. */
export const insights = [
  endpoint({
    ...shared,
    path: "/emissions/insights",
    summary: "What stands out in emissions, by fixed rules, with the figures and the query that gives them",
    scope: "read:emissions",
    operation: graphql(`
      query RestEmissionInsights($from: Date, $to: Date, $first: Int) {
        emissions { insights(from: $from, to: $to, first: $first) { ...InsightFields } }
      }
    `),
    example: exampleOf({
      id: "largest_change:scope_2",
      kind: "largest_change",
      severity: "low",
      title: "54 % of the reduction comes from scope 2",
      body: "It fell by 60 t from the period before: from 300 t to 240 t.",
      figures: [
        { name: "change", value: -60, unit: "tCO2e" },
        { name: "share_percent", value: 53.76, unit: "%" },
        { name: "previous", value: 300, unit: "tCO2e" },
        { name: "current", value: 240, unit: "tCO2e" },
      ],
      query: {
        name: "InsightLargestChange",
        document: "query InsightLargestChange($range: DateRangeInput!, $by: ChangeSplit!) { … }",
        variables: { range: { from: "2025-11-01", to: "2026-10-31" }, by: "SCOPE" },
      },
    }),
    reshape: ({ emissions: { insights } }) => describe(insights),
  }),
  endpoint({
    ...shared,
    path: "/compliance/insights",
    summary: "What stands out in compliance, by fixed rules, with the figures and the query that gives them",
    scope: "read:compliance",
    operation: graphql(`
      query RestComplianceInsights($from: Date, $to: Date, $first: Int) {
        compliance { insights(from: $from, to: $to, first: $first) { ...InsightFields } }
      }
    `),
    example: exampleOf({
      id: "deadline:5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
      kind: "deadline",
      severity: "medium",
      title: "Annual report is due in 11 days",
      body: "CCTS requires action: 11 days are left to 2026-12-01.",
      figures: [{ name: "days_remaining", value: 11, unit: "days" }],
      query: {
        name: "InsightDeadline",
        document: "query InsightDeadline($id: UUID!) { … }",
        variables: { id: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a" },
      },
      source_url: "https://example.org/rules",
    }),
    reshape: ({ compliance: { insights } }) => describe(insights),
  }),
  endpoint({
    ...shared,
    path: "/credits/insights",
    summary: "What stands out in the credits, by fixed rules, with the figures and the query that gives them",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditInsights($from: Date, $to: Date, $first: Int) {
        credits { insights(from: $from, to: $to, first: $first) { ...InsightFields } }
      }
    `),
    example: exampleOf({
      id: "concentration:VCS",
      kind: "concentration",
      severity: "medium",
      title: "90 % of the credits are VCS",
      body: "Of 1000 available credits, 900 are of this type.",
      figures: [
        { name: "of_type", value: 900, unit: "credits" },
        { name: "available", value: 1_000, unit: "credits" },
        { name: "share_percent", value: 90, unit: "%" },
      ],
      query: {
        name: "InsightConcentration",
        document: "query InsightConcentration { … }",
        variables: {},
      },
    }),
    reshape: ({ credits: { insights } }) => describe(insights),
  }),
  endpoint({
    ...shared,
    path: "/market/insights",
    summary: "What stands out in prices, by fixed rules, with the figures and the query that gives them",
    scope: "read:market",
    operation: graphql(`
      query RestMarketInsights($from: Date, $to: Date, $first: Int) {
        market { insights(from: $from, to: $to, first: $first) { ...InsightFields } }
      }
    `),
    example: exampleOf({
      id: "price_move:credit_type=EUA:exchange=EEX",
      kind: "price_move",
      severity: "low",
      title: "EUA, EEX: 12 % up",
      body: "The price went from 75 EUR (2026-10-20) to 84 EUR (2026-11-19).",
      figures: [
        { name: "price", value: 84, unit: "EUR" },
        { name: "previous_price", value: 75, unit: "EUR" },
        { name: "change_percent", value: 12, unit: "%" },
      ],
      query: {
        name: "InsightPriceMove",
        document: "query InsightPriceMove($latest: UUID!, $before: UUID!) { … }",
        variables: {
          latest: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
          before: "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c",
        },
      },
      record_ids: ["5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a", "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c"],
      source_url: "https://example.org/prices",
    }),
    reshape: ({ market: { insights } }) => describe(insights),
  }),
];
