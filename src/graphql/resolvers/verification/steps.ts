import type { Context } from "../../../access/context.js";
import { type Acting, requireActing } from "../../../actions/acting.js";
import { addFinding } from "../../../actions/verification/findings.js";
import {
  reopenRequest,
  resubmitRequest,
  submitRequest,
  withdrawRequest,
} from "../../../actions/verification/organization-steps.js";
import { draftRequest } from "../../../actions/verification/request.js";
import {
  acceptRequest,
  createVerifierLink,
  type RequestWithLink,
} from "../../../actions/verification/verifier-links.js";
import { askForChanges, decideRequest, startReview } from "../../../actions/verification/verifier-steps.js";
import { confirmVerifier, rejectVerifier } from "../../../actions/verification/verifiers.js";
import type { LockedRequest } from "../../../data/verification/write-requests.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import type { VerificationRequestModel } from "../models.js";
import { requireVerification } from "./requests.js";

/** Creates the resolver of a step. It returns the request, with the link if the step creates one. */
const step =
  <Input>(take: (acting: Acting, input: Input) => Promise<Pick<LockedRequest, "id"> | RequestWithLink>) =>
  async (_parent: unknown, { input }: { readonly input: Input }, context: Context) => {
    const taken = await take(requireActing(context), input);
    const request: VerificationRequestModel = await requireVerification(context, taken.id);
    return { request: "link" in taken ? { ...request, verifierLink: taken.link } : request };
  };

/** Steps that organizations take in their own requests, and verifiers in the requests of others. */
export const verificationSteps = {
  Mutation: {
    requestVerification: (_parent, { input }, context) => draftRequest(requireActing(context), input),
    submitVerification: step(submitRequest),
    resubmitVerification: step(resubmitRequest),
    withdrawVerification: step(withdrawRequest),
    reopenVerification: step(reopenRequest),
    startVerification: step(startReview),
    requestVerificationChanges: step(askForChanges),
    createVerifierLink: step(createVerifierLink),
    confirmVerifier: step(confirmVerifier),
    rejectVerifier: step(rejectVerifier),
    acceptVerification: (_parent, { input }, context) => acceptRequest(requireActing(context), input.token),
    decideVerification: step(decideRequest),
    addVerificationFinding: (_parent, { input }, context) => addFinding(requireActing(context), input),
  },
  RequestVerificationPayload: { request: ({ id }, _args, context) => requireVerification(context, id) },
} satisfies Resolvers;
