import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { graphql, type MetricFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";

const metricShape = z
  .object({
    id: z.uuid(),
    name: z.string(),
    unit: z.string(),
    month: z.string().meta({ description: "`YYYY-MM`." }),
    value: z.number(),
    value_exact: z.string().meta({ description: "The same with every digit." }),
    version: z.int(),
  })
  .meta({ id: "BusinessMetric" });

type Metric = z.infer<typeof metricShape>;

const EXAMPLE: Metric = {
  id: "5f0c7f9e-2f8e-4f6b-9d57-8f6f3f3c9a10",
  name: "Units produced",
  unit: "units",
  month: "2026-10",
  value: 4_300,
  value_exact: "4300",
  version: 1,
};

graphql(`
  fragment MetricFields on BusinessMetric {
    id name unit month value valueExact version
  }
`);

const describeMetric = ({ valueExact, ...metric }: MetricFieldsFragment) => ({
  id: metric.id,
  name: metric.name,
  unit: metric.unit,
  month: metric.month,
  value: metric.value,
  value_exact: valueExact,
  version: metric.version,
});

const params = z.object({ id: uuidShape });
const version = (metric: Metric) => metric.version;

/** The parts of a value that can change. Their rules are the graph's. */
const changeable = {
  unit: z.string().meta({ description: "The same for all months of a metric." }),
  value: decimalShape("0 to 10^15 with at most 6 decimals; as text if digits could be lost."),
};

/** Business metrics by month. */
export const businessMetrics = [
  endpoint({
    path: "/emissions/metrics",
    summary: "Values of business metrics, by name and month",
    scope: "read:emissions",
    operation: graphql(`
      query RestBusinessMetrics($name: String, $first: Int, $after: String) {
        businessMetrics(name: $name, first: $first, after: $after) {
          nodes { ...MetricFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery.extend({
      name: z.string().optional().meta({ description: "Only months of the metric with this name." }),
    }),
    variables: ({ query: { name, ...page } }) => ({ name: name ?? null, ...pageOf(page) }),
    data: pageShape("BusinessMetrics", metricShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ businessMetrics: { nodes, pageInfo } }) => ({
      items: nodes.map(describeMetric),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/emissions/metrics",
    summary:
      "Records the value of a business metric in a month. Sent again, it is answered with what is there",
    scope: "write:emissions",
    operation: graphql(`
      mutation RestRecordBusinessMetric($name: String!, $unit: String!, $month: String!, $value: Decimal!) {
        recordBusinessMetric(name: $name, unit: $unit, month: $month, value: $value) {
          isNew
          metric { ...MetricFields }
        }
      }
    `),
    body: z.strictObject({
      name: z.string(),
      month: z
        .string()
        .regex(/^\d{4}-\d{2}$/, "expected a month, such as 2026-05")
        .meta({ description: "`YYYY-MM`, from 1990 to a year ahead." }),
      ...changeable,
    }),
    variables: ({ body: { value, ...body } }) => ({ ...body, value: String(value) }),
    data: metricShape,
    example: EXAMPLE,
    reshape: ({ recordBusinessMetric: { metric } }) => describeMetric(metric),
    createdId: ({ id }, { recordBusinessMetric: { isNew } }) => (isNew ? id : undefined),
    mayExist: true,
    version,
  }),
  endpoint({
    path: "/emissions/metrics/{id}",
    summary: "The value of a business metric in a month",
    scope: "read:emissions",
    operation: graphql(`
      query RestBusinessMetric($id: UUID!) {
        businessMetric(id: $id) { ...MetricFields }
      }
    `),
    params,
    variables: ({ params }) => params,
    data: metricShape,
    example: EXAMPLE,
    reshape: ({ businessMetric }) => describeMetric(businessMetric),
    version,
  }),
  endpoint({
    method: "PATCH",
    path: "/emissions/metrics/{id}",
    summary:
      "Changes the value of a business metric in a month, or the unit of a metric that has only this month",
    scope: "write:emissions",
    operation: graphql(`
      mutation RestUpdateBusinessMetric($id: UUID!, $unit: String, $value: Decimal, $expectedVersion: Int) {
        updateBusinessMetric(id: $id, unit: $unit, value: $value, expectedVersion: $expectedVersion) { ...MetricFields }
      }
    `),
    params,
    body: z.strictObject(changeable).partial(),
    variables: ({ params, body: { value, ...body }, expectedVersion }) => ({
      ...params,
      ...body,
      ...(value !== undefined && { value: String(value) }),
      expectedVersion,
    }),
    data: metricShape,
    example: { ...EXAMPLE, value: 4_400, value_exact: "4400", version: 2 },
    reshape: ({ updateBusinessMetric }) => describeMetric(updateBusinessMetric),
    version,
  }),
];
