import { type Context, requireAccess } from "../../../access/context.js";
import { requireOwnSession, requirePerson } from "../../../access/principal.js";
import { totalOf } from "../../../actions/verification/issue-certificate.js";
import { requireOpenToVerifier } from "../../../actions/verification/open-to-verifier.js";
import { readAsTenant } from "../../../data/tenant/reader.js";
import {
  countVerifiedRecords,
  listFindings,
  listStatusChanges,
  listVerifiedRecords,
} from "../../../data/verification/details.js";
import {
  countRequests,
  findRequest,
  listRequests,
  type RequestRow,
} from "../../../data/verification/requests.js";
import { LOCKING } from "../../../domain/verification/states.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireSize } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { floatOf, toFloat } from "../floats.js";
import { toIssue } from "../inventory/issues.js";
import type { VerificationRequestModel } from "../models.js";
import { requireRow } from "../require-row.js";

const MAX_LISTED = 200;

const readTime = (time: string | null) => (time === null ? null : new Date(time));

/** Reads as the organization of a request, which differs from the verifier's own. */
const readAsOwner = ({ organizationId }: RequestRow, context: Context) =>
  readAsTenant(requireAccess(context).resources.database, organizationId, context.request);

/**
 * Finds a request of the caller's organization, or one that the caller verifies; null if none matches. For one that the
 * caller verifies, throws like `requireOwnSession`.
 */
export async function findVerification(
  context: Context,
  id: string,
): Promise<VerificationRequestModel | null> {
  const { principal, tenant } = requireAccess(context);
  const { person } = principal;
  const own = await findRequest(tenant, "own", id);
  if (own !== null || person === null) return own;
  const assigned = await findRequest(tenant, "assigned", id);
  if (assigned !== null) requireOwnSession(person.session);
  return assigned;
}

/** Returns a request that the current mutation has just written. */
export const requireVerification = async (context: Context, id: string): Promise<VerificationRequestModel> =>
  requireRow(await findVerification(context, id), `verification request ${id}`);

/** Verification requests, for organizations and verifiers. */
export const verification = {
  Query: {
    verificationRequest: (_parent, { id }, context) => findVerification(context, id),
    verificationRequests(_parent, { statuses, ...args }, context) {
      const access = requireAccess(context);
      const wanted = statuses?.length ? statuses : null;
      return readConnection(access, args, {
        name: "verificationRequests",
        parameters: [wanted],
        read: (page) => listRequests(access.tenant, "own", wanted, page),
        count: () => countRequests(access.tenant, "own", wanted),
        toNode: itself,
      });
    },
    verificationAssignments(_parent, args, context) {
      const access = requireAccess(context);
      const { user, session } = requirePerson(access.principal);
      requireOwnSession(session);
      return readConnection(access, args, {
        name: "verificationAssignments",
        parameters: [user.id],
        read: (page) => listRequests(access.tenant, "assigned", null, page),
        count: () => countRequests(access.tenant, "assigned", null),
        toNode: itself,
      });
    },
  },
  VerificationRequest: {
    period: ({ periodFrom, periodTo }) => ({ from: periodFrom, to: periodTo }),
    inventory(request, _args, context) {
      const { inventory, isAssigned } = request;
      if (inventory === null) return null;
      const issue = { ...inventory, issuedAt: new Date(inventory.issuedAt) };
      return toIssue(readAsOwner(request, context), issue, () => {
        if (isAssigned) requireOpenToVerifier(request);
      });
    },
    materialityPercent: ({ materialityPercent }) => Number(materialityPercent),
    materialityPercentExact: ({ materialityPercent }) => materialityPercent,
    isLocked: ({ status }) => LOCKING.has(status),
    opinionStatement: ({ statement }) => statement,
    findings: (request, { first }, context) =>
      listFindings(readAsOwner(request, context), request, requireSize("first", first, MAX_LISTED)),
    statusChanges: (request, { first }, context) =>
      listStatusChanges(readAsOwner(request, context), request, requireSize("first", first, MAX_LISTED)),
    records(request, args, context) {
      const access = requireAccess(context);
      if (request.isAssigned) requireOpenToVerifier(request);
      const tenant = readAsOwner(request, context);
      return readConnection({ ...access, tenant }, args, {
        name: "verificationRecords",
        parameters: [request.id],
        read: (page) => listVerifiedRecords(tenant, request, page),
        count: () => countVerifiedRecords(tenant, request),
        toNode: itself,
      });
    },
  },
  Verifier: {
    accountCreatedAt: ({ accountCreatedAt }) => readTime(accountCreatedAt),
    acceptedAt: ({ acceptedAt }) => readTime(acceptedAt),
    confirmedAt: ({ confirmedAt }) => readTime(confirmedAt),
  },
  VerificationSnapshot: {
    takenAt: ({ takenAt }) => new Date(takenAt),
    totalCo2eTonnes: (snapshot) => Number(totalOf(snapshot)),
    totalCo2eTonnesExact: totalOf,
  },
  ScopeTotal: {
    co2eTonnes: ({ co2eTonnes }) => Number(co2eTonnes),
    co2eTonnesExact: ({ co2eTonnes }) => co2eTonnes,
  },
  VerificationFinding: {
    misstatementTonnes: ({ misstatementTonnes }) => toFloat(misstatementTonnes),
    misstatementTonnesExact: ({ misstatementTonnes }) => misstatementTonnes,
  },
  VerificationRecord: { co2eTonnes: floatOf("co2eTonnes") },
} satisfies Resolvers;
