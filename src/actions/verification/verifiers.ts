import type { LockedRequest } from "../../data/verification/write-requests.js";
import { confirmVerifier as confirm, removeVerifier } from "../../data/verification/write-verifiers.js";
import type { StepName } from "../../domain/verification/states.js";
import { ActionError } from "../action-error.js";
import type { ActorContext, PersonContext } from "../actor-context.js";
import { notifyOfConfirmation } from "./notify-parties.js";
import { runStep, type StepContext, type StepRequest } from "./take-step.js";

/**
 * Confirms the user who accepted a request. The user can then read and review its records. Throws the errors of
 * `runStep`, CONFLICT unless a user has accepted it and is not confirmed, and VALIDATION_FAILED if that user has become
 * a member.
 */
export const confirmVerifier = (caller: PersonContext, step: StepRequest): Promise<LockedRequest> =>
  onAccepted(caller, "confirmVerifier", step, async (context) => {
    await confirm(context.sql, context.organizationId, context.request.id, caller.now);
    await notifyOfConfirmation(context, caller.now);
  });

/**
 * Rejects the user who accepted a request, which then needs a new link. Throws the errors of `confirmVerifier` except
 * VALIDATION_FAILED.
 */
export const rejectVerifier = (caller: ActorContext, step: StepRequest): Promise<LockedRequest> =>
  onAccepted(caller, "rejectVerifier", step, ({ sql, organizationId, request }) =>
    removeVerifier(sql, organizationId, request.id),
  );

const onAccepted = (
  caller: ActorContext,
  name: StepName,
  step: StepRequest,
  work: (context: StepContext) => Promise<void>,
): Promise<LockedRequest> =>
  runStep(caller, name, step, async (context) => {
    const { request } = context;
    if (request.verifierId === null || request.isVerifierConfirmed) {
      const message = request.isVerifierConfirmed
        ? "The verifier is already confirmed."
        : "Nobody has accepted the request yet. Send its link to your verifier.";
      throw new ActionError("CONFLICT", "verification", message, "verifier");
    }
    await work(context);
    return request;
  });
