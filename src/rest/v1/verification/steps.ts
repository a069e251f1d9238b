import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { upperCase, uuidShape } from "../../../catalogue/values.js";
import { FINDING_SEVERITIES, OPINIONS } from "../../../domain/verification/states.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describeFinding, describeRequest, FINDING_EXAMPLE, findingShape } from "./request.js";
import { answer, params } from "./requests.js";
import { answerWithLink, describeWithLink } from "./verifiers.js";

const noteBody = z
  .strictObject({ note: z.string().nullish().meta({ description: "Why; at most 1,000 characters." }) })
  .optional();

/** Steps of an organization with its verification requests, and of a verifier with those of others. */
export const verificationSteps = [
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/submit",
    summary:
      "Submits a draft: takes a snapshot of the records, locks them, and creates the link for the verifier",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestSubmitVerification($id: UUID!, $expectedVersion: Int) {
        submitVerification(id: $id, expectedVersion: $expectedVersion) {
          ...VerificationRequestFields
          verifierLink
        }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ submitVerification }) => describeWithLink(submitVerification),
    ...answerWithLink,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/resubmit",
    summary: "Submits a request again after its changes: takes a new snapshot, and locks the records",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestResubmitVerification($id: UUID!, $expectedVersion: Int) {
        resubmitVerification(id: $id, expectedVersion: $expectedVersion) { ...VerificationRequestFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ resubmitVerification }) => describeRequest(resubmitVerification),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/withdraw",
    summary: "Withdraws a request that is not decided, and unlocks its records",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestWithdrawVerification($id: UUID!, $expectedVersion: Int) {
        withdrawVerification(id: $id, expectedVersion: $expectedVersion) { ...VerificationRequestFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ withdrawVerification }) => describeRequest(withdrawVerification),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/reopen",
    summary: "Opens a verified request for changes: supersedes its certificate, and unlocks the records",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestReopenVerification($id: UUID!, $note: String, $expectedVersion: Int) {
        reopenVerification(id: $id, note: $note, expectedVersion: $expectedVersion) { ...VerificationRequestFields }
      }
    `),
    params,
    body: noteBody,
    variables: ({ params, body, expectedVersion }) => ({
      ...params,
      note: body?.note ?? null,
      expectedVersion,
    }),
    reshape: ({ reopenVerification }) => describeRequest(reopenVerification),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/start",
    summary: "Begins the review of a submitted request. For its verifier",
    scope: "read:emissions",
    operation: graphql(`
      mutation RestStartVerification($id: UUID!, $expectedVersion: Int) {
        startVerification(id: $id, expectedVersion: $expectedVersion) { ...VerificationRequestFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ startVerification }) => describeRequest(startVerification),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/request-changes",
    summary: "Asks for changes of a request in review, whose records are unlocked. For its verifier",
    scope: "read:emissions",
    operation: graphql(`
      mutation RestRequestVerificationChanges($id: UUID!, $note: String, $expectedVersion: Int) {
        requestVerificationChanges(id: $id, note: $note, expectedVersion: $expectedVersion) {
          ...VerificationRequestFields
        }
      }
    `),
    params,
    body: noteBody,
    variables: ({ params, body, expectedVersion }) => ({
      ...params,
      note: body?.note ?? null,
      expectedVersion,
    }),
    reshape: ({ requestVerificationChanges }) => describeRequest(requestVerificationChanges),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/decide",
    summary: "Decides a request in review. For its verifier, who gave the password in the last 10 minutes",
    scope: "read:emissions",
    operation: graphql(`
      mutation RestDecideVerification($id: UUID!, $opinion: Opinion!, $statement: String!, $expectedVersion: Int) {
        decideVerification(id: $id, opinion: $opinion, statement: $statement, expectedVersion: $expectedVersion) {
          ...VerificationRequestFields
        }
      }
    `),
    params,
    body: z.strictObject({
      opinion: z.enum(OPINIONS).meta({
        description: "`adverse` and `disclaimed` reject the request; the others issue a certificate.",
      }),
      statement: z.string().meta({ description: "The conclusion in your words, 1 to 10,000 characters." }),
    }),
    variables: ({ params, body, expectedVersion }) => ({
      ...params,
      opinion: upperCase(body.opinion),
      statement: body.statement,
      expectedVersion,
    }),
    reshape: ({ decideVerification }) => describeRequest(decideVerification),
    failures: ["REAUTHENTICATION_REQUIRED"],
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/findings",
    summary:
      "Records what you found in a request in review. The same again changes nothing. For its verifier",
    scope: "read:emissions",
    operation: graphql(`
      mutation RestAddVerificationFinding($id: UUID!, $input: VerificationFindingInput!) {
        addVerificationFinding(id: $id, input: $input) { finding { ...VerificationFindingFields } isNew }
      }
    `),
    params,
    body: z.strictObject({
      record_id: uuidShape.nullish(),
      text: z.string().meta({ description: "1 to 2,000 characters." }),
      severity: z.enum(FINDING_SEVERITIES),
      misstatement_tonnes: decimalShape(
        "By how much the total is misstated: positive if it is too high; at most 6 decimals.",
      ).nullish(),
    }),
    variables: ({ params, body: { record_id, text, severity, misstatement_tonnes } }) => ({
      ...params,
      input: {
        recordId: record_id ?? null,
        text,
        severity: upperCase(severity),
        misstatementTonnes: misstatement_tonnes == null ? null : String(misstatement_tonnes),
      },
    }),
    reshape: ({ addVerificationFinding: { finding } }) => describeFinding(finding),
    createdId: ({ id }, { addVerificationFinding: { isNew } }) => (isNew ? id : undefined),
    mayExist: true,
    data: findingShape,
    example: FINDING_EXAMPLE,
  }),
];
