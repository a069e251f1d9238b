import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { listOf, upperCase, uuidShape } from "../../../catalogue/values.js";
import { ASSURANCE_LEVELS, VERIFICATION_STATUSES } from "../../../domain/verification/states.js";
import { isIsoDate } from "../../../domain/window.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { scopeShape } from "../calculations/factor.js";
import {
  describeListed,
  describeRequest,
  LISTED_EXAMPLE,
  listedShape,
  REQUEST_EXAMPLE,
  requestShape,
} from "./request.js";

const dateShape = z
  .string()
  .refine(isIsoDate, { error: "expected a calendar date, YYYY-MM-DD" })
  .meta({ format: "date" });

export const params = z.object({ id: uuidShape });
/** Common parts of the endpoints that return one request. */
export const answer = {
  data: requestShape,
  example: REQUEST_EXAMPLE,
  version: (request: z.infer<typeof requestShape>) => request.version,
  // It shows accounts and organizations as they are now.
  isVersioned: () => false,
};

/** Verification requests of the organization, and those that a person verifies. */
export const verificationRequests = [
  endpoint({
    path: "/verification/requests",
    summary: "The organization's verification requests, latest first",
    scope: "read:emissions",
    operation: graphql(`
      query RestVerificationRequests($statuses: [VerificationStatus!], $first: Int, $after: String) {
        verificationRequests(statuses: $statuses, first: $first, after: $after) {
          nodes { ...ListedVerificationRequestFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery.extend({
      status: listOf(VERIFICATION_STATUSES, "Only requests with one of these states"),
    }),
    variables: ({ query: { status, ...page } }) => ({
      statuses: status?.map(upperCase) ?? null,
      ...pageOf(page),
    }),
    data: pageShape("VerificationRequests", listedShape),
    example: { items: [LISTED_EXAMPLE], next_cursor: null },
    reshape: ({ verificationRequests: { nodes, pageInfo } }) => ({
      items: nodes.map(describeListed),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    path: "/verification/assignments",
    summary: "The requests of other organizations whose confirmed verifier you are, latest first",
    scope: "read:emissions",
    operation: graphql(`
      query RestVerificationAssignments($first: Int, $after: String) {
        verificationAssignments(first: $first, after: $after) {
          nodes { ...ListedVerificationRequestFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("VerificationAssignments", listedShape),
    example: { items: [{ ...LISTED_EXAMPLE, assigned: true }], next_cursor: null },
    reshape: ({ verificationAssignments: { nodes, pageInfo } }) => ({
      items: nodes.map(describeListed),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests",
    summary: "Drafts a verification request. A draft that says the same is answered instead of a second one",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestRequestVerification($input: VerificationRequestInput!) {
        requestVerification(input: $input) { request { ...VerificationRequestFields } isNew }
      }
    `),
    body: z.strictObject({
      period: z
        .strictObject({ from: dateShape, to: dateShape })
        .meta({ id: "VerificationPeriod", description: "At most 400 days, all in the past." }),
      scopes: z.array(scopeShape).meta({ description: "At least one, each once." }),
      level: z.enum(ASSURANCE_LEVELS),
      materiality_pct: decimalShape(
        "Misstatement, in percent of the total, from which on an unmodified opinion is impossible: above 0, at most 100.",
      ),
      verifier_email: z.string().meta({
        description: "Address to which the gateway mails the link for the verifier, if it sends e-mails.",
      }),
    }),
    variables: ({ body }) => ({
      input: {
        period: body.period,
        scopes: body.scopes.map(upperCase),
        level: upperCase(body.level),
        materialityPct: String(body.materiality_pct),
        verifierEmail: body.verifier_email,
      },
    }),
    reshape: ({ requestVerification: { request } }) => describeRequest(request),
    createdId: ({ id }, { requestVerification: { isNew } }) => (isNew ? id : undefined),
    mayExist: true,
    ...answer,
  }),
  endpoint({
    path: "/verification/requests/{id}",
    summary: "A verification request of the organization, or one whose confirmed verifier you are",
    scope: "read:emissions",
    operation: graphql(`
      query RestVerificationRequest($id: UUID!) {
        verificationRequest(id: $id) { ...VerificationRequestFields }
      }
    `),
    params,
    variables: ({ params }) => params,
    reshape: ({ verificationRequest }) => describeRequest(verificationRequest),
    ...answer,
  }),
];
