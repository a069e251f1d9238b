import type { Context } from "../../../access/context.js";
import { requireActorContext, requirePersonContext } from "../../../actions/actor-context.js";
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
const stepOf =
  <Caller>(requireCaller: (context: Context) => Caller) =>
  <Input>(take: (caller: Caller, input: Input) => Promise<Pick<LockedRequest, "id"> | RequestWithLink>) =>
  async (_parent: unknown, { input }: { readonly input: Input }, context: Context) => {
    const taken = await take(requireCaller(context), input);
    const request: VerificationRequestModel = await requireVerification(context, taken.id);
    return { request: "link" in taken && taken.link ? { ...request, verifierLink: taken.link } : request };
  };

const step = stepOf(requireActorContext);
/** For people only, because only they can be verifiers. */
const personStep = stepOf(requirePersonContext);

/** Steps that organizations take in their own requests, and verifiers in the requests they verify. */
export const verificationSteps = {
  Mutation: {
    requestVerification: (_parent, { input }, context) => draftRequest(requireActorContext(context), input),
    submitVerification: step(submitRequest),
    resubmitVerification: step(resubmitRequest),
    withdrawVerification: step(withdrawRequest),
    reopenVerification: step(reopenRequest),
    startVerification: personStep(startReview),
    requestVerificationChanges: personStep(askForChanges),
    createVerifierLink: step(createVerifierLink),
    // Lets somebody certify, which no service account may do itself.
    confirmVerifier: personStep(confirmVerifier),
    rejectVerifier: step(rejectVerifier),
    acceptVerification: (_parent, { input }, context) =>
      acceptRequest(requirePersonContext(context), input.token),
    decideVerification: personStep(decideRequest),
    addVerificationFinding: (_parent, { input }, context) => addFinding(requirePersonContext(context), input),
  },
  RequestVerificationPayload: { request: ({ id }, _args, context) => requireVerification(context, id) },
} satisfies Resolvers;
