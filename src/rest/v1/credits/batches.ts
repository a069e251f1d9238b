import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { flag } from "../../../catalogue/values.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { BATCH_EXAMPLE, batchShape, describeBatch, idParams, quantityShape } from "./shapes.js";

const isYear = (text: string) => /^\d{4}$/.test(text);

const filters = {
  credit_type: z.string().meta({ description: "Only batches of this type, in any case." }),
  vintage: z
    .string()
    .refine(isYear, "expected a year of four digits")
    .meta({ type: "integer", description: "Only batches of this year." }),
  available: flag("Only batches with available credits, or only those without."),
};

/** The organization's batches of credits. */
export const batches = [
  endpoint({
    path: "/credits/batches",
    summary: "The organization's batches of credits, by type and reference",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditBatches($filter: CreditBatchFilter, $first: Int, $after: String) {
        credits {
          batches(filter: $filter, first: $first, after: $after) {
            nodes { ...BatchFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery.extend(z.object(filters).partial().shape),
    variables: ({ query: { credit_type, vintage, available, ...page } }) => ({
      filter: {
        ...(credit_type !== undefined && { creditTypes: [credit_type] }),
        ...(vintage !== undefined && { vintages: [Number(vintage)] }),
        ...(available !== undefined && { available }),
      },
      ...pageOf(page),
    }),
    data: pageShape("CreditBatches", batchShape),
    example: { items: [BATCH_EXAMPLE], next_cursor: null },
    reshape: ({ credits: { batches } }) => ({
      items: batches.nodes.map(describeBatch),
      next_cursor: nextCursor(batches.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/credits/batches",
    summary: "Adds a batch of credits. The same again, by its reference, changes nothing",
    scope: "write:credits",
    operation: graphql(`
      mutation RestIssueCredits($input: IssueCreditsInput!) {
        issueCredits(input: $input) {
          batch { ...BatchFields }
          isNew
        }
      }
    `),
    body: z.strictObject({
      reference: z.string().meta({ description: "Your own, such as a serial number." }),
      credit_type: z.string().meta({ description: "Such as `VCS`, `EUA` or `CCC`." }),
      vintage: z
        .int32()
        .nullish()
        .meta({ description: "Year in which the emissions were reduced or removed." }),
      quantity: quantityShape,
    }),
    variables: ({ body: { credit_type, vintage, ...body } }) => ({
      input: { ...body, creditType: credit_type, vintage: vintage ?? null },
    }),
    data: batchShape,
    example: { ...BATCH_EXAMPLE, sold: 0, retired: 0, available: 1_000 },
    reshape: ({ issueCredits }) => describeBatch(issueCredits.batch),
    createdId: ({ id }, { issueCredits }) => (issueCredits.isNew ? id : undefined),
    mayExist: true,
  }),
  endpoint({
    path: "/credits/batches/{id}",
    summary: "A batch of credits",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditBatch($id: UUID!) {
        creditBatch(id: $id) { ...BatchFields }
      }
    `),
    params: idParams,
    variables: ({ params }) => params,
    data: batchShape,
    example: BATCH_EXAMPLE,
    reshape: ({ creditBatch }) => describeBatch(creditBatch),
  }),
];
