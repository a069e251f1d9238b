import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import {
  type Account,
  type AccountRow,
  disableAccount,
  enableAccount,
  insertSuperAdmin,
} from "../../data/people/accounts.js";
import { insertInvitation, revokeInvitationsOf } from "../../data/people/invitations.js";
import { hasMember, hasMembers } from "../../data/people/members.js";
import { insertSignInLink } from "../../data/people/sign-in-links.js";
import { readAsTenant } from "../../data/tenant/reader.js";
import type { Role } from "../../domain/people/roles.js";
import { limitTime } from "../../time-limit.js";
import { ActionError } from "../action-error.js";
import { readEmail, readName } from "../read-text.js";
import { createInvitation } from "./invitations.js";
import { requireOrganization } from "./organizations.js";
import { createSignInToken, type LinkContext, refuseUnknownUser, type SignInLink } from "./sign-in-links.js";

/** An invitation with its link. The link cannot be read again. */
export interface CreatedInvitation {
  readonly id: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly email: string;
  readonly role: Role;
  readonly link: string;
  readonly expiresAt: Date;
}

/**
 * Invites somebody to an organization, with a single-use link that is valid for 7 days. Throws InvalidInput for a bad
 * e-mail address. Throws ActionError for an unknown slug, for a member, and for a role below owner if the organization
 * has no members.
 */
export async function inviteUser(
  { database, pepper, site, now }: LinkContext,
  { organization: slug, role, ...request }: { organization: string; email: string; role: Role },
): Promise<CreatedInvitation> {
  const email = readEmail("user", request.email);
  const organization = await requireOrganization(database, slug);
  const time = { now, inTime: limitTime(database.timeLimitMs) };
  const tenant = readAsTenant(database, organization.id, time);
  if (await hasMember(tenant, email)) {
    throw new ActionError("CONFLICT", "user", `${email} is already a member of ${slug}.`);
  }
  if (role !== "owner" && !(await hasMembers(tenant))) {
    throw new ActionError("CONFLICT", "user", `${slug} has no members yet, and the first must be an owner.`);
  }
  const invitation = { organizationId: organization.id, email, role, invitedBy: null };
  const { token, row } = createInvitation(invitation, pepper, now);
  const { id, expiresAt } = await write(database, "users create", async (sql) => {
    await revokeInvitationsOf(sql, organization.id, email, now);
    return insertInvitation(sql, row);
  });
  return { id, organization: slug, email, role, link: site.link("invitation", token), expiresAt };
}

/**
 * Creates a super admin, who belongs to no organization, with a sign-in link. Throws InvalidInput for a bad e-mail
 * address or name, and ActionError for an e-mail address that is taken.
 */
export function createSuperAdmin(
  context: LinkContext,
  request: Pick<Account, "email" | "name">,
): Promise<SignInLink> {
  const email = readEmail("user", request.email);
  const name = readName("user", request.name);
  return write(context.database, "users create", async (sql) => {
    const id = await insertSuperAdmin(sql, email, name);
    if (id === null)
      throw new ActionError("CONFLICT", "user", `A user with the e-mail address ${email} already exists.`);
    const { token, row } = createSignInToken(context, id);
    await insertSignInLink(sql, row);
    return { id, email, name, link: context.site.link("sign-in", token), expiresAt: row.expiresAt };
  });
}

/** Disables an account and ends its sessions. Throws ActionError if the account does not exist. */
export async function disableUser(database: Database, email: string, now: Date): Promise<AccountRow> {
  return (await disableAccount(database, email, now)) ?? refuseUnknownUser(email);
}

/** Enables an account again. Throws ActionError if the account does not exist. */
export async function enableUser(database: Database, email: string): Promise<AccountRow> {
  return (await enableAccount(database, email)) ?? refuseUnknownUser(email);
}
