import { type Writer, write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { isMember } from "../../data/verification/independence.js";
import {
  changeStatus,
  findOrganizationOfAssignment,
  type LockedRequest,
  lockRequest,
  type Outcome,
} from "../../data/verification/write-requests.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { faultOfStep, STEPS, type StepName } from "../../domain/verification/states.js";
import type { Acting } from "../acting.js";
import { ActionError, requireFound, requireVersion } from "../action-error.js";
import { readNote } from "../names.js";
import { refuseMember } from "./request.js";

const ACTIONS = {
  submit: "verification_request.submitted",
  resubmit: "verification_request.resubmitted",
  withdraw: "verification_request.withdrawn",
  reopen: "verification_request.reopened",
  start: "verification_request.started",
  requestChanges: "verification_request.changes_requested",
  decide: "verification_request.decided",
} as const satisfies Record<StepName, AuditAction>;

/** A request that a step works on. It is locked. */
export interface Stepping {
  readonly sql: SqlSession;
  readonly organizationId: string;
  readonly request: LockedRequest;
}

/** Which request, and which version of it the caller has seen; null for whichever it is. */
export interface StepRequest {
  readonly id: string;
  readonly expectedVersion?: number | null | undefined;
  readonly note?: string | null | undefined;
}

/**
 * Runs `work` on a request that the acting person is asked to verify, as a writer of its organization; its rows are read
 * anew afterwards. Throws NOT_FOUND for any other request.
 */
export async function asVerifier<T>(
  { resources, person, writer }: Acting,
  id: string,
  work: (stepping: Stepping) => Promise<T>,
  action?: AuditAction,
): Promise<T> {
  const { database, noteChange } = resources;
  const found = await findOrganizationOfAssignment(database, person.user.email, id);
  const organizationId = requireFound(found, "verification", id, "verification request");
  const result = await inRequest(database, { ...writer, organizationId }, id, work, action);
  noteChange({ table: null, organizationId });
  return result;
}

/** Runs `work` on a request of the writer's organization. Throws NOT_FOUND for any other one. */
function inRequest<T>(
  database: Acting["resources"]["database"],
  writer: Exclude<Writer, string> & { readonly organizationId: string },
  id: string,
  work: (stepping: Stepping) => Promise<T>,
  action?: AuditAction,
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
    // A snapshot reads every record of the period.
    { mayTakeLong: true },
  );
}

/** Throws CONFLICT unless a step is allowed in a request's state. */
export function requireStep(step: StepName, { status }: Pick<LockedRequest, "status">): void {
  const fault = faultOfStep(step, status);
  if (fault !== null) throw new ActionError("CONFLICT", "verification", fault, "status");
}

/** Throws VALIDATION_FAILED if a request's verifier is a member of its organization by now. */
export async function requireIndependence({ sql, organizationId, request }: Stepping): Promise<void> {
  if (await isMember(sql, organizationId, request.verifierEmail)) refuseMember();
}

/**
 * Takes a step of a request: `work` does what belongs to it, and returns what changes of the request. Returns its id. Throws
 * NOT_FOUND for a request of somebody else, and CONFLICT for another version and a state that does not allow the step.
 */
export async function takeStep(
  acting: Acting,
  step: StepName,
  { id, expectedVersion, note: given }: StepRequest,
  work: (stepping: Stepping) => Promise<Outcome>,
): Promise<string> {
  const { by } = STEPS[step];
  const { now, resources, writer } = acting;
  const note = readNote("verification", "note", given);
  const take = async (stepping: Stepping) => {
    const { sql, organizationId, request } = stepping;
    requireVersion("verification", request.version, expectedVersion);
    requireStep(step, request);
    await changeStatus(sql, organizationId, request, await work(stepping), { by, now, note });
    return request.id;
  };
  return by === "verifier"
    ? asVerifier(acting, id, take, ACTIONS[step])
    : inRequest(resources.database, writer, id, take, ACTIONS[step]);
}
