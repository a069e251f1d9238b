import { requireOwnSession } from "../../access/principal.js";
import { type WriteOptions, type Writer, write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { findOrganizationOfAssignment } from "../../data/verification/requests.js";
import {
  changeStatus,
  type LockedRequest,
  lockRequest,
  type Outcome,
} from "../../data/verification/write-requests.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { findStepFault, STEPS, type StepName } from "../../domain/verification/states.js";
import { ActionError, requireFound, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readNote } from "../read-text.js";

const ACTIONS = {
  submit: "verification_request.submitted",
  resubmit: "verification_request.resubmitted",
  withdraw: "verification_request.withdrawn",
  reopen: "verification_request.reopened",
  createLink: "verification_request.verifier_link_created",
  confirmVerifier: "verification_request.verifier_confirmed",
  rejectVerifier: "verification_request.verifier_rejected",
  start: "verification_request.started",
  requestChanges: "verification_request.changes_requested",
  decide: "verification_request.decided",
} as const satisfies Record<StepName, AuditAction>;

/** A locked request that a step works on. */
export interface StepContext {
  readonly sql: SqlSession;
  readonly organizationId: string;
  readonly request: LockedRequest;
}

/** A request, and the version of it that the caller has seen; null for any version. */
export interface StepRequest {
  readonly id: string;
  readonly expectedVersion?: number | null | undefined;
  readonly note?: string | null | undefined;
}

/**
 * Runs `work` on a request whose confirmed verifier is the user, with write access to its organization. Later reads see
 * the changes. Throws NOT_FOUND for any other request, and REAUTHENTICATION_REQUIRED as `requireOwnSession` does.
 */
export async function asVerifier<T>(
  { resources, tenant, writer, principal }: ActorContext,
  id: string,
  work: (context: StepContext) => Promise<T>,
  action?: AuditAction,
): Promise<T> {
  const { database, noteChange } = resources;
  const found = await findOrganizationOfAssignment(tenant, id);
  const organizationId = requireFound(found, "verification", id, "verification request");
  if (principal.person) requireOwnSession(principal.person.session);
  const result = await inRequest(database, { ...writer, organizationId }, id, work, action);
  noteChange({ table: null, organizationId });
  return result;
}

/** Runs `work` on a request of the writer's organization. Throws NOT_FOUND for any other request. */
function inRequest<T>(
  database: ActorContext["resources"]["database"],
  writer: Exclude<Writer, string> & { readonly organizationId: string },
  id: string,
  work: (context: StepContext) => Promise<T>,
  action?: AuditAction,
  options?: WriteOptions,
): Promise<T> {
  const { organizationId } = writer;
  return write(
    database,
    writer,
    async (sql) => {
      const locked = await lockRequest(sql, organizationId, id);
      const request = requireFound(locked, "verification", id, "verification request");
      return work({ sql, organizationId, request });
    },
    action,
    options,
  );
}

/** Throws CONFLICT unless a step is allowed in a request's state. */
function requireStep(step: StepName, { status }: Pick<LockedRequest, "status">): void {
  const fault = findStepFault(step, status);
  if (fault !== null) throw new ActionError("CONFLICT", "verification", fault, "status");
}

/**
 * Runs `work`, a step of a request, if the state of the request allows the step. Throws NOT_FOUND for a request that is
 * not the caller's, CONFLICT if the version is not the expected one or the state does not allow the step, and for a
 * verifier's step the errors of `asVerifier`.
 */
export function runStep<T>(
  caller: ActorContext,
  step: StepName,
  { id, expectedVersion }: StepRequest,
  work: (context: StepContext) => Promise<T>,
): Promise<T> {
  const { resources, writer } = caller;
  // A snapshot reads every record of the period.
  const mayTakeLong = step === "submit" || step === "resubmit";
  const options = { mayTakeLong, scope: "request:verification" } as const;
  const run = (context: StepContext) => {
    requireVersion("verification", context.request.version, expectedVersion);
    requireStep(step, context.request);
    return work(context);
  };
  return STEPS[step].by === "verifier"
    ? asVerifier(caller, id, run, ACTIONS[step])
    : inRequest(resources.database, writer, id, run, ACTIONS[step], options);
}

/** Changes to a request. `finish` runs after they are written, at the end of the transaction. */
interface StepOutcome extends Outcome {
  readonly finish?: () => Promise<void>;
}

/**
 * Takes a step that changes the state of a request: `work` performs it and returns the changes to the request. Returns
 * the request before the step. Throws the errors of `runStep`.
 */
export async function takeStep(
  caller: ActorContext,
  step: StepName,
  given: StepRequest,
  work: (context: StepContext) => Promise<StepOutcome>,
): Promise<LockedRequest> {
  const { by } = STEPS[step];
  const note = readNote("verification", "note", given.note);
  return runStep(caller, step, given, async (context) => {
    const { sql, organizationId, request } = context;
    const { finish, ...outcome } = await work(context);
    await changeStatus(sql, organizationId, request, outcome, { by, now: caller.now, note });
    await finish?.();
    return request;
  });
}
