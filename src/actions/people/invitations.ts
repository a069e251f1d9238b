import { requireOwnProof } from "../../access/principal.js";
import { hashKey, listHashes, type Pepper } from "../../access/secrets/api-key.js";
import { generateToken, isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  acceptInvitation as accept,
  findInvitation,
  findOpenInvitation,
  type InvitationRow,
  type NewInvitation as InvitationToStore,
  insertInvitation,
  revokeInvitation as revoke,
  revokeInvitationsOf,
} from "../../data/people/invitations.js";
import { hasMember, type MembershipRow } from "../../data/people/members.js";
import { findEmailFault, foldEmail } from "../../domain/people/email.js";
import type { Role } from "../../domain/people/roles.js";
import { ownerFirst } from "../accounts/account-errors.js";
import { ActionError, requireFound } from "../action-error.js";
import { type ActorContext, type PersonContext, requireConfirmedAndRecent } from "../actor-context.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { requireDelivery } from "../notifications/machine-links.js";
import { requireAuthority, requireGrantable } from "./members.js";

const LIFETIME_MS = 7 * 24 * 60 * 60_000;

/** Creates an invitation for 7 days: the token of its link, and the row to store. */
export function createInvitation(
  invitation: Pick<InvitationToStore, "organizationId" | "email" | "role" | "invitedBy">,
  pepper: Pepper,
  now: Date,
): { token: string; row: InvitationToStore } {
  const token = generateToken("invitation");
  const expiresAt = new Date(now.getTime() + LIFETIME_MS);
  const tokenHash = hashKey(token, pepper);
  return { token, row: { ...invitation, tokenHash, mailTokenHash: null, createdAt: now, expiresAt } };
}

/**
 * Queues an e-mail with a separate token, and returns the token's hash. Only this token confirms the address, because
 * the inviter sees the other one. Returns null without a mail server, and after too many e-mails, for which
 * `requireDelivery` throws if the inviter is a service account.
 */
async function mailInvitation(caller: ActorContext, sql: SqlSession, email: string): Promise<string | null> {
  const { resources, writer, request, now } = caller;
  const token = generateToken("invitation");
  const isQueued = await queueLinkMail(resources, sql, {
    kind: "invitation",
    email,
    token,
    userId: null,
    organizationId: writer.organizationId,
    address: request.address(),
    now,
  });
  requireDelivery(caller, isQueued);
  return isQueued ? hashKey(token, resources.pepper) : null;
}

/** An invitation with the link that accepts it. The link cannot be read again. */
export interface NewInvitation {
  readonly invitation: InvitationRow;
  /** For a service account, the address of the console, without a token. */
  readonly link: string;
}

/**
 * Invites somebody to the caller's organization for 7 days, and revokes earlier invitations of the same e-mail address.
 * Throws FORBIDDEN unless the caller may manage the roles of these invitations and holds all scopes of the new one.
 * Throws EMAIL_NOT_CONFIRMED, REAUTHENTICATION_REQUIRED, and ActionError for an e-mail address that is invalid or a
 * member's, and as `requireDelivery` does.
 */
export async function inviteMember(caller: ActorContext, email: string, role: Role): Promise<NewInvitation> {
  const { resources, tenant, principal, writer, now } = caller;
  const { database, pepper, site } = resources;
  const { organizationId, actor } = writer;
  requireGrantable(caller, role);
  requireConfirmedAndRecent(caller);
  const fault = findEmailFault(email);
  if (fault !== undefined)
    throw new ActionError("VALIDATION_FAILED", "invitation", `email: ${fault}`, "email");
  if (await hasMember(tenant, email)) {
    throw new ActionError("CONFLICT", "invitation", `${email} is already a member.`, "email");
  }
  const { token, row } = createInvitation({ organizationId, email, role, invitedBy: actor.id }, pepper, now);
  const invitation = await write(database, writer, async (sql) => {
    const revoked = await revokeInvitationsOf(sql, organizationId, email, now);
    for (const former of revoked) requireAuthority(caller, former);
    return insertInvitation(sql, { ...row, mailTokenHash: await mailInvitation(caller, sql, email) });
  });
  return {
    invitation,
    link: principal.serviceAccount ? `${site.url()}/console/` : site.link("invitation", token),
  };
}

/** Revokes an invitation. Throws FORBIDDEN unless the user may manage its role, and ActionError if it is not open. */
export async function revokeInvitation(caller: ActorContext, id: string): Promise<InvitationRow> {
  const { resources, tenant, writer, now } = caller;
  const { database } = resources;
  const requireOpen = <T>(found: T | null) => requireFound(found, "invitation", id, "open invitation");
  const invitation = requireOpen(await findInvitation(tenant, id, now));
  requireAuthority(caller, invitation.role);
  await write(database, writer, async (sql) =>
    requireOpen((await revoke(sql, writer.organizationId, id, now)) || null),
  );
  return invitation;
}

/**
 * Adds the user to an invitation's organization. Throws the same ActionError if the invitation is unknown, was used or
 * revoked, has expired, or is for a different e-mail address. Throws CONFLICT if the organization has no members and
 * the invitation is not for an owner, and REAUTHENTICATION_REQUIRED as `requireOwnProof` does.
 */
export async function acceptInvitation(caller: PersonContext, token: string): Promise<MembershipRow> {
  const { resources, person, writer, now } = caller;
  const { database, peppers } = resources;
  const hashes = listHashes(token, peppers);
  const invitation = isToken("invitation", token) ? await findOpenInvitation(database, hashes, now) : null;
  if (!invitation || foldEmail(invitation.email) !== foldEmail(person.user.email)) throw notOpen();
  requireOwnProof(person.session, now);
  const { organization, role, needsOwnerFirst } = invitation;
  if (needsOwnerFirst) throw ownerFirst();
  const inOrganization = { ...writer, organizationId: organization.id };
  await write(database, inOrganization, async (sql) => {
    if (!(await accept(sql, invitation, person.user.id, now))) throw notOpen();
  });
  return { organization, role };
}

const notOpen = () =>
  new ActionError(
    "NOT_FOUND",
    "invitation",
    "There is no such invitation for your e-mail address: it was used or revoked, or it has expired. Ask for a new one.",
  );
