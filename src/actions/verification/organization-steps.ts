import { takeSnapshot } from "../../data/verification/take-snapshot.js";
import { supersedeCertificates } from "../../data/verification/write-certificates.js";
import {
  insertSnapshot,
  type LockedRequest,
  lockPeriod,
  unlockPeriod,
} from "../../data/verification/write-requests.js";
import type { ActorContext } from "../actor-context.js";
import { readVerifiedIssue } from "./issue-certificate.js";
import { notifyOfSubmission } from "./notify-parties.js";
import { type StepContext, type StepRequest, takeStep } from "./take-step.js";
import { createLink, type RequestWithLink } from "./verifier-links.js";

/**
 * Submits a draft: locks its period, stores a snapshot of the records, and creates the link for its verifier. Throws
 * the errors of `takeStep` and `createLink`, and CONFLICT if part of the period is locked.
 */
export async function submitRequest(caller: ActorContext, step: StepRequest): Promise<RequestWithLink> {
  const { link, stored, mail } = createLink(caller);
  const { id } = await takeStep(caller, "submit", step, async (context) => {
    await mail(context);
    return { ...(await submit(caller, context)), link: stored };
  });
  return { id, link };
}

/** Submits a request again after changes. */
export const resubmitRequest = (caller: ActorContext, step: StepRequest): Promise<LockedRequest> =>
  takeStep(caller, "resubmit", step, async (context) => {
    await notifyOfSubmission(context, caller.now);
    return submit(caller, context);
  });

async function submit({ now }: ActorContext, context: StepContext) {
  const { sql, organizationId, request } = context;
  // Locks the period first, so that nobody changes its records from now on.
  await lockPeriod(sql, organizationId, request);
  const snapshot = await takeSnapshot(sql, organizationId, request);
  const issue = await readVerifiedIssue(context);
  const totals = issue?.scopes.map(({ scope, co2eTonnesExact }) => ({ scope, co2eTonnes: co2eTonnesExact }));
  await insertSnapshot(sql, organizationId, request, { ...snapshot, ...(totals && { totals }) }, now);
  return { status: "submitted" } as const;
}

/** Withdraws a request that is not decided, and unlocks its period. */
export const withdrawRequest = (caller: ActorContext, step: StepRequest): Promise<LockedRequest> =>
  takeStep(caller, "withdraw", step, async ({ sql, organizationId, request }) => {
    await unlockPeriod(sql, organizationId, request.id);
    return { status: "withdrawn" };
  });

/** Opens a verified request for changes: supersedes its certificate, and unlocks its period. */
export const reopenRequest = (caller: ActorContext, step: StepRequest): Promise<LockedRequest> =>
  takeStep(caller, "reopen", step, async ({ sql, organizationId, request }) => {
    await supersedeCertificates(sql, organizationId, request.id);
    await unlockPeriod(sql, organizationId, request.id);
    return { status: "changes_requested", decision: null };
  });
