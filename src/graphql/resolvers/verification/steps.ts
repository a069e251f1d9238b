import { requireActing } from "../../../actions/acting.js";
import { addFinding } from "../../../actions/verification/findings.js";
import {
  reopenRequest,
  resubmitRequest,
  submitRequest,
  withdrawRequest,
} from "../../../actions/verification/organization-steps.js";
import { draftRequest } from "../../../actions/verification/request.js";
import { askForChanges, decideRequest, startReview } from "../../../actions/verification/verifier-steps.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireVerification } from "./requests.js";

/** What an organization does with its requests, and what a verifier does with those of others. */
export const verificationSteps = {
  Mutation: {
    requestVerification: (_parent, { input }, context) => draftRequest(requireActing(context), input),
    submitVerification: async (_parent, step, context) =>
      requireVerification(context, await submitRequest(requireActing(context), step)),
    resubmitVerification: async (_parent, step, context) =>
      requireVerification(context, await resubmitRequest(requireActing(context), step)),
    withdrawVerification: async (_parent, step, context) =>
      requireVerification(context, await withdrawRequest(requireActing(context), step)),
    reopenVerification: async (_parent, step, context) =>
      requireVerification(context, await reopenRequest(requireActing(context), step)),
    startVerification: async (_parent, step, context) =>
      requireVerification(context, await startReview(requireActing(context), step)),
    requestVerificationChanges: async (_parent, step, context) =>
      requireVerification(context, await askForChanges(requireActing(context), step)),
    decideVerification: async (_parent, { opinion, statement, ...step }, context) =>
      requireVerification(context, await decideRequest(requireActing(context), step, { opinion, statement })),
    addVerificationFinding: (_parent, { id, input }, context) =>
      addFinding(requireActing(context), id, input),
  },
  NewVerificationRequest: { request: ({ id }, _args, context) => requireVerification(context, id) },
} satisfies Resolvers;
