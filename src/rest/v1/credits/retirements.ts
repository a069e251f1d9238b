import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { isUuid } from "../../../domain/texts/uuid.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import {
  describeRetirement,
  idParams,
  quantityShape,
  RETIREMENT_EXAMPLE,
  retirementShape,
} from "./shapes.js";

/** A range in the graph has both ends, and lasts 100 years at most. */
const [FIRST_DAY, LAST_DAY] = ["1990-01-01", "2089-12-31"];

const filters = {
  batch: z
    .string()
    .refine(isUuid, "expected the id of a batch")
    .meta({ description: "Only credits of this batch." }),
  credit_type: z.string().meta({ description: "Only credits of this type, in any case." }),
  from: z.iso.date().meta({ description: "Only credits that were retired on this day or later." }),
  to: z.iso.date().meta({ description: "Only credits that were retired on this day or earlier." }),
};

/** Credits that were retired for good. */
export const retirements = [
  endpoint({
    path: "/credits/retirements",
    summary: "Retirements of credits, latest first",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditRetirements($filter: CreditRetirementFilter, $first: Int, $after: String) {
        credits {
          retirements(filter: $filter, first: $first, after: $after) {
            nodes { ...RetirementFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery.extend(z.object(filters).partial().shape),
    variables: ({ query: { batch, credit_type, from, to, ...page } }) => ({
      filter: {
        ...(batch !== undefined && { batchIds: [batch] }),
        ...(credit_type !== undefined && { creditTypes: [credit_type] }),
        ...((from ?? to) !== undefined && {
          retiredOn: { from: from ?? FIRST_DAY, to: to ?? LAST_DAY },
        }),
      },
      ...pageOf(page),
    }),
    data: pageShape("CreditRetirements", retirementShape),
    example: { items: [RETIREMENT_EXAMPLE], next_cursor: null },
    reshape: ({ credits: { retirements } }) => ({
      items: retirements.nodes.map(describeRetirement),
      next_cursor: nextCursor(retirements.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/credits/batches/{id}/retirements",
    summary: "Retires credits of a batch for good. The same again, by its reference, changes nothing",
    scope: "write:credits",
    operation: graphql(`
      mutation RestRetireCredits(
        $batch: UUID!, $quantity: SafeInt!, $retiredOn: Date, $beneficiary: String, $purpose: String, $reference: String
      ) {
        retireCredits(
          batch: $batch, quantity: $quantity, retiredOn: $retiredOn, beneficiary: $beneficiary, purpose: $purpose,
          reference: $reference
        ) {
          retirement { ...RetirementFields }
          isNew
        }
      }
    `),
    params: idParams,
    body: z.strictObject({
      quantity: quantityShape,
      retired_on: z.iso
        .date()
        .nullish()
        .meta({ description: "Not in the future; today, in UTC, if it is left out." }),
      beneficiary: z.string().nullish().meta({ description: "On whose behalf." }),
      purpose: z.string().nullish(),
      reference: z
        .string()
        .nullish()
        .meta({ description: "Your own, unlike those of all other retirements; made up if it is left out." }),
    }),
    variables: ({ params, body: { retired_on, ...body } }) => ({
      batch: params.id,
      ...body,
      retiredOn: retired_on ?? null,
    }),
    data: retirementShape,
    example: RETIREMENT_EXAMPLE,
    reshape: ({ retireCredits }) => describeRetirement(retireCredits.retirement),
    createdId: ({ id }, { retireCredits }) => (retireCredits.isNew ? id : undefined),
    createdIn: "/credits/retirements",
    mayExist: true,
  }),
  endpoint({
    path: "/credits/retirements/{id}",
    summary: "A retirement of credits",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditRetirement($id: UUID!) {
        creditRetirement(id: $id) { ...RetirementFields }
      }
    `),
    params: idParams,
    variables: ({ params }) => params,
    data: retirementShape,
    example: RETIREMENT_EXAMPLE,
    reshape: ({ creditRetirement }) => describeRetirement(creditRetirement),
  }),
];
