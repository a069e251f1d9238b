import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describePeriod, PERIOD_EXAMPLE, periodShape } from "./ccts-period.js";

const params = z.object({ id: uuidShape });
const version = (period: z.infer<typeof periodShape>) => period.version;

const intensity = (which: string) =>
  decimalShape(
    `${which} emission intensity: tonnes of CO2 equivalent per unit of output, at most 9 decimals.`,
  );
/** What is recorded of an entity's year. */
const figures = {
  target_gei: intensity("Target"),
  target_source_url: z.string().meta({ description: "Link to the publication of the target." }),
  achieved_gei: intensity("Achieved"),
  output: decimalShape("Equivalent output in the unit of the target, at most 6 decimals."),
};
const averagePrice = decimalShape("Average price of the cycle in rupees per certificate.").nullish();

const text = (decimal: number | string) => String(decimal);

/** India's Carbon Credit Trading Scheme. */
export const ccts = [
  endpoint({
    path: "/compliance/ccts",
    summary:
      "Financial years of obligated entities in India's Carbon Credit Trading Scheme, by entity, then year",
    scope: "read:compliance",
    operation: graphql(`
      query RestCctsPeriods($first: Int, $after: String) {
        compliance {
          cctsPeriods(first: $first, after: $after) {
            nodes { ...PeriodFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("CctsPeriods", periodShape),
    example: { items: [PERIOD_EXAMPLE], next_cursor: null },
    reshape: ({ compliance: { cctsPeriods } }) => ({
      items: cctsPeriods.nodes.map(describePeriod),
      next_cursor: nextCursor(cctsPeriods.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/compliance/ccts",
    summary: "Records a financial year of an entity. The same again changes nothing",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestRecordCctsPeriod($input: CctsPeriodInput!) {
        recordCctsPeriod(input: $input) {
          period { ...PeriodFields }
          isNew
        }
      }
    `),
    body: z.strictObject({
      entity: z.string(),
      financial_year: z.string().meta({ description: "Such as `2025-26`." }),
      ...figures,
      average_price: averagePrice,
    }),
    variables: ({ body }) => ({
      input: {
        entity: body.entity,
        financialYear: body.financial_year,
        targetGei: text(body.target_gei),
        targetSourceUrl: body.target_source_url,
        achievedGei: text(body.achieved_gei),
        output: text(body.output),
        averagePrice: body.average_price == null ? null : text(body.average_price),
      },
    }),
    data: periodShape,
    example: PERIOD_EXAMPLE,
    reshape: ({ recordCctsPeriod }) => describePeriod(recordCctsPeriod.period),
    createdId: ({ id }, { recordCctsPeriod }) => (recordCctsPeriod.isNew ? id : undefined),
    mayExist: true,
    version,
  }),
  endpoint({
    path: "/compliance/ccts/{id}",
    summary: "A financial year of an entity",
    scope: "read:compliance",
    operation: graphql(`
      query RestCctsPeriod($id: UUID!) {
        cctsPeriod(id: $id) { ...PeriodFields }
      }
    `),
    params,
    variables: ({ params }) => params,
    data: periodShape,
    example: PERIOD_EXAMPLE,
    reshape: ({ cctsPeriod }) => describePeriod(cctsPeriod),
    version,
    // What was surrendered has no version.
    isVersioned: () => false,
  }),
  endpoint({
    method: "PATCH",
    path: "/compliance/ccts/{id}",
    summary: "Changes what is recorded of a financial year",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestUpdateCctsPeriod(
        $id: UUID!, $targetGei: Decimal, $targetSourceUrl: String, $achievedGei: Decimal, $output: Decimal,
        $averagePrice: Decimal, $expectedVersion: Int
      ) {
        updateCctsPeriod(
          id: $id, targetGei: $targetGei, targetSourceUrl: $targetSourceUrl, achievedGei: $achievedGei, output: $output,
          averagePrice: $averagePrice, expectedVersion: $expectedVersion
        ) { ...PeriodFields }
      }
    `),
    params,
    body: z.strictObject({ ...z.object(figures).partial().shape, average_price: averagePrice }),
    variables: ({ params, body, expectedVersion }) => ({
      ...params,
      ...(body.target_gei !== undefined && { targetGei: text(body.target_gei) }),
      ...(body.target_source_url !== undefined && { targetSourceUrl: body.target_source_url }),
      ...(body.achieved_gei !== undefined && { achievedGei: text(body.achieved_gei) }),
      ...(body.output !== undefined && { output: text(body.output) }),
      ...(body.average_price !== undefined && {
        averagePrice: body.average_price === null ? null : text(body.average_price),
      }),
      expectedVersion,
    }),
    data: periodShape,
    example: PERIOD_EXAMPLE,
    reshape: ({ updateCctsPeriod }) => describePeriod(updateCctsPeriod),
    version,
  }),
  endpoint({
    method: "POST",
    path: "/compliance/ccts/{id}/surrender",
    summary:
      "Retires certificates (credits of the type CCC) for a financial year, oldest vintage first, all or none",
    scope: ["write:compliance", "write:credits"],
    failures: ["CONFLICT"],
    operation: graphql(`
      mutation RestSurrenderCcts($period: UUID!, $quantity: SafeInt!, $reference: String) {
        surrenderCcts(period: $period, quantity: $quantity, reference: $reference) { ...PeriodFields }
      }
    `),
    params,
    body: z.strictObject({
      quantity: z.int().meta({ description: "Number of certificates, at least 1." }),
      reference: z
        .string()
        .nullish()
        .meta({ description: "Makes the surrender repeatable. The same again changes nothing." }),
    }),
    variables: ({ params, body }) => ({ period: params.id, ...body }),
    data: periodShape,
    example: PERIOD_EXAMPLE,
    reshape: ({ surrenderCcts }) => describePeriod(surrenderCcts),
  }),
];
