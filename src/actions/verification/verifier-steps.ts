import { requireOwnProof, requireRecentProof } from "../../access/principal.js";
import { listMisstatements } from "../../data/verification/findings.js";
import { type LockedRequest, unlockPeriod } from "../../data/verification/write-requests.js";
import { percentOf } from "../../domain/decimals.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { reachesMateriality, sumMisstatements } from "../../domain/verification/materiality.js";
import type { Opinion } from "../../domain/verification/states.js";
import { InvalidInput } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { readLines } from "../read-text.js";
import { issueCertificate, requireSnapshot, totalOf } from "./issue-certificate.js";
import { notifyOfChanges, notifyOfDecision } from "./notify-parties.js";
import { type StepContext, type StepRequest, takeStep } from "./take-step.js";

/** Starts the review of a submitted request. Throws the errors of `takeStep`. */
export const startReview = (caller: PersonContext, step: StepRequest): Promise<LockedRequest> =>
  takeStep(caller, "start", step, async () => ({ status: "in_review" }));

/** Asks for changes of a request in review, and unlocks its period. */
export const askForChanges = (caller: PersonContext, step: StepRequest): Promise<LockedRequest> =>
  takeStep(caller, "requestChanges", step, async (context) => {
    const { sql, organizationId, request } = context;
    await unlockPeriod(sql, organizationId, request.id);
    await notifyOfChanges(context, caller.now);
    return { status: "changes_requested" };
  });

/** A decision: the opinion and its wording. */
export interface Decision {
  readonly opinion: Opinion;
  readonly statement: string;
}

/**
 * Decides a request in review: issues a certificate, or rejects the request and unlocks its period. Throws the errors
 * of `startReview`, and REAUTHENTICATION_REQUIRED if the user last authenticated too long ago. Throws
 * VALIDATION_FAILED for an unmodified opinion if misstatements reach the materiality, and if no signing key is
 * configured.
 */
export function decideRequest(caller: PersonContext, given: StepRequest & Decision): Promise<LockedRequest> {
  requireRecentProof(caller.person, caller.now);
  requireOwnProof(caller.person.session, caller.now);
  const { opinion } = given;
  const statement = readLines("verification", "statement", given.statement, TEXT_LIMITS.statement);
  return takeStep(caller, "decide", given, async (context) => {
    const { sql, organizationId, request } = context;
    const isVerified = opinion === "unmodified" || opinion === "modified";
    if (opinion === "unmodified") await requireImmaterial(context);
    if (!isVerified) await unlockPeriod(sql, organizationId, request.id);
    return {
      status: isVerified ? "verified" : "rejected",
      decision: { opinion, statement },
      finish: async () => {
        const number = isVerified ? await issueCertificate(caller, context, opinion) : null;
        await notifyOfDecision(context, number, caller.now);
      },
    };
  });
}

async function requireImmaterial({ sql, organizationId, request }: StepContext): Promise<void> {
  const snapshot = requireSnapshot(request);
  const total = totalOf(snapshot);
  const misstatements = await listMisstatements(sql, organizationId, request.id, snapshot.number);
  if (!reachesMateriality(misstatements, total, request.materialityPercent)) return;
  const sum = sumMisstatements(misstatements);
  const share = percentOf(sum, total, 2);
  throw new InvalidInput(
    "verification",
    "opinion",
    `cannot be unmodified: misstatements of ${sum} t in ${total} t${share === null ? "" : ` (${share} %)`} reach the materiality of ${request.materialityPercent} %`,
  );
}
