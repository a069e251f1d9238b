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
import type { StepRequest } from "../../../actions/verification/take-step.js";
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

/** Creates the resolver of a step, which returns the request with the link if the step creates one. */
const step =
  (take: (acting: Acting, given: StepRequest) => Promise<Pick<LockedRequest, "id"> | RequestWithLink>) =>
  async (_parent: unknown, given: StepRequest, context: Context): Promise<VerificationRequestModel> => {
    const taken = await take(requireActing(context), given);
    const request = await requireVerification(context, taken.id);
    return "link" in taken ? { ...request, verifierLink: taken.link } : request;
  };

/** Steps of an organization with its requests, and of a verifier with those of others. */
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
    acceptVerification: (_parent, { token }, context) => acceptRequest(requireActing(context), token),
    decideVerification: (parent, { opinion, statement, ...given }, context) =>
      step((acting, request) => decideRequest(acting, request, { opinion, statement }))(
        parent,
        given,
        context,
      ),
    addVerificationFinding: (_parent, { id, input }, context) =>
      addFinding(requireActing(context), id, input),
  },
  NewVerificationRequest: { request: ({ id }, _args, context) => requireVerification(context, id) },
} satisfies Resolvers;
