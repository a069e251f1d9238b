import { takeSnapshot } from "../../data/verification/take-snapshot.js";
import { supersedeCertificates } from "../../data/verification/write-certificates.js";
import { insertSnapshot, lockPeriod, unlockPeriod } from "../../data/verification/write-requests.js";
import type { Acting } from "../acting.js";
import { requireIndependence, type Stepping, type StepRequest, takeStep } from "./take-step.js";
import { tellOfSubmission } from "./tell.js";

/** Submits a draft: locks its period, and keeps a snapshot of the records. Throws as `takeStep`, and CONFLICT for a period of which a part is locked. */
export const submitRequest = (acting: Acting, step: StepRequest): Promise<string> =>
  takeStep(acting, "submit", step, (stepping) => submit(acting, stepping));

/** Submits a request again after its changes. */
export const resubmitRequest = (acting: Acting, step: StepRequest): Promise<string> =>
  takeStep(acting, "resubmit", step, (stepping) => submit(acting, stepping));

async function submit({ now }: Acting, stepping: Stepping) {
  const { sql, organizationId, request } = stepping;
  await requireIndependence(stepping);
  // First: from now on nobody writes the records.
  await lockPeriod(sql, organizationId, request);
  await insertSnapshot(sql, organizationId, request, await takeSnapshot(sql, organizationId, request), now);
  await tellOfSubmission(stepping, now);
  return { status: "submitted" } as const;
}

/** Withdraws a request that is not decided, and unlocks its period. */
export const withdrawRequest = (acting: Acting, step: StepRequest): Promise<string> =>
  takeStep(acting, "withdraw", step, async ({ sql, organizationId, request }) => {
    await unlockPeriod(sql, organizationId, request.id);
    return { status: "withdrawn" };
  });

/** Opens a verified request for changes: supersedes its certificate, and unlocks its period. */
export const reopenRequest = (acting: Acting, step: StepRequest): Promise<string> =>
  takeStep(acting, "reopen", step, async ({ sql, organizationId, request }) => {
    await supersedeCertificates(sql, organizationId, request.id);
    await unlockPeriod(sql, organizationId, request.id);
    return { status: "changes_requested", decision: null };
  });
