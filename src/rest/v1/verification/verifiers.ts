import { z } from "zod";
import { graphql, type VerificationRequestFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describeRequest, REQUEST_EXAMPLE, requestShape } from "./request.js";
import { answer, params } from "./requests.js";

const shapeWithLink = requestShape
  .extend({
    verifier_link: z.url().meta({
      description: "Send it to the verifier. It works once, within 30 days, and is not shown again.",
    }),
  })
  .meta({ id: "VerificationRequestWithLink" });

/** Common parts of the endpoints that return a request and its new link. */
export const answerWithLink = {
  ...answer,
  data: shapeWithLink,
  example: {
    ...REQUEST_EXAMPLE,
    verifier_link: "https://carbon.example.com/console/#verify=cgw_vfy_Example",
  },
};

/** Converts a request of the graph and its new link to REST's spelling. */
export const describeWithLink = ({
  verifierLink,
  ...request
}: VerificationRequestFieldsFragment & { readonly verifierLink?: string | null }): z.infer<
  typeof shapeWithLink
> => {
  if (verifierLink == null) throw new Error("the operation has created no link");
  return { ...describeRequest(request), verifier_link: verifierLink };
};

/** Endpoints that bind a verifier to a request, by a link and the organization's confirmation. */
export const verifiers = [
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/verifier-link",
    summary: "Creates a new link for the verifier, which replaces the previous one",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestCreateVerifierLink($id: UUID!, $expectedVersion: Int) {
        createVerifierLink(id: $id, expectedVersion: $expectedVersion) {
          ...VerificationRequestFields
          verifierLink
        }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ createVerifierLink }) => describeWithLink(createVerifierLink),
    ...answerWithLink,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/verifier/confirm",
    summary: "Confirms the person who accepted a request, who can then read its records",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestConfirmVerifier($id: UUID!, $expectedVersion: Int) {
        confirmVerifier(id: $id, expectedVersion: $expectedVersion) { ...VerificationRequestFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ confirmVerifier }) => describeRequest(confirmVerifier),
    failures: ["VALIDATION_FAILED"],
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/requests/{id}/verifier/reject",
    summary: "Rejects the person who accepted a request, which then needs a new link",
    scope: ["request:verification", "read:emissions"],
    operation: graphql(`
      mutation RestRejectVerifier($id: UUID!, $expectedVersion: Int) {
        rejectVerifier(id: $id, expectedVersion: $expectedVersion) { ...VerificationRequestFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ rejectVerifier }) => describeRequest(rejectVerifier),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/verification/assignments/accept",
    summary: "Accepts a verification request by its link. The organization then confirms or rejects you",
    scope: null,
    failures: ["NOT_FOUND"],
    operation: graphql(`
      mutation RestAcceptVerification($token: String!) {
        acceptVerification(token: $token) { requestId organizationName }
      }
    `),
    body: z.strictObject({
      token: z.string().meta({ description: "The part of the link that follows `#verify=`." }),
    }),
    variables: ({ body }) => body,
    data: z.object({ request_id: z.uuid(), organization: z.string() }).meta({
      id: "AcceptedVerification",
      description: "You can read the request once the organization has confirmed you.",
    }),
    example: { request_id: REQUEST_EXAMPLE.id, organization: REQUEST_EXAMPLE.organization.name },
    reshape: ({ acceptVerification: { requestId, organizationName } }) => ({
      request_id: requestId,
      organization: organizationName,
    }),
  }),
];
