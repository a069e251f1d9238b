import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { acceptInvitation, findOpenInvitation, type OpenInvitation } from "../../data/people/invitations.js";
import { type Account, findAccountByEmail } from "../../data/people/users.js";
import { insertUser } from "../../data/people/write-users.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { AppError } from "../../errors.js";
import type { User } from "../principal.js";
import { isToken } from "../token.js";
import { beginSession, type SignedIn } from "./begin-session.js";
import { checkPassword, holdAccount } from "./check-password.js";
import {
  type AccountsContext,
  findByToken,
  hashesOf,
  type Transport,
  type Visit,
  writerOf,
} from "./context.js";
import { ownerFirst, requireNoFaults, requireRegistration, taken, wrongCredentials } from "./refusals.js";

export interface InvitedRequest {
  readonly invitation: string;
  /** That of the account with the invitation's e-mail address if there is one, else that of a new account. */
  readonly password: string;
  /** For a new account. */
  readonly name?: string | undefined;
  readonly transport: Transport;
}

/**
 * Makes the person with an invitation a member, and signs them in. The invitation is looked at before anything else, so that
 * nobody without one learns who has an account.
 */
export async function registerInvited(
  context: AccountsContext,
  body: InvitedRequest,
  visit: Visit,
): Promise<SignedIn> {
  requireRegistration(context.registration, "invite");
  const { database, noteChange } = context.resources;
  const { request } = visit;
  const invitation = isToken("invitation", body.invitation)
    ? await findByToken(context, visit, () =>
        findOpenInvitation(database, hashesOf(context, body.invitation), request.now),
      )
    : null;
  if (invitation === null) throw noInvitation();
  if (invitation.comesTooEarly) throw ownerFirst();
  const { email, organization } = invitation;
  const account = await findAccountByEmail(database, email, request.address(), request.now);
  const signedIn = account
    ? await joinWith(context, account, invitation, body, visit)
    : await joinAnew(context, invitation, body, visit);
  noteChange({ table: null, organizationId: organization.id });
  return signedIn;
}

async function joinWith(
  context: AccountsContext,
  found: Account,
  invitation: OpenInvitation,
  { password, transport }: InvitedRequest,
  visit: Visit,
): Promise<SignedIn> {
  const account = await checkPassword(context, visit, found, { email: found.email, password });
  return write(
    context.resources.database,
    writerOf(account, visit, invitation.organization.id),
    async (sql) => {
      if (!(await holdAccount(sql, account))) throw wrongCredentials();
      return join(context, sql, account, invitation, transport, visit);
    },
  );
}

async function joinAnew(
  context: AccountsContext,
  invitation: OpenInvitation,
  { password, name = "", transport }: InvitedRequest,
  visit: Visit,
): Promise<SignedIn> {
  const { email, organization } = invitation;
  requireNoFaults({
    name: name === "" ? "expected the name of a new account, got none" : undefined,
    password: findPasswordFault(password, { email, organization: organization.name }),
  });
  const user = { id: randomUUID(), email, name, passwordHash: await context.passwords.hash(password) };
  return write(context.resources.database, writerOf(user, visit, organization.id), async (sql) => {
    const createdAt = await insertUser(sql, user, visit.request.now);
    if (createdAt === null) throw taken("invitation", "Its e-mail address has got an account meanwhile.");
    return join(context, sql, { ...user, createdAt }, invitation, transport, visit);
  });
}

async function join(
  context: AccountsContext,
  sql: SqlSession,
  user: User,
  invitation: OpenInvitation,
  transport: Transport,
  visit: Visit,
): Promise<SignedIn> {
  const isAccepted = await acceptInvitation(sql, invitation, user.id, visit.request.now);
  if (!isAccepted) throw noInvitation();
  return beginSession(context, sql, visit, user, transport, invitation.organization);
}

const noInvitation = () =>
  new AppError(
    "NOT_FOUND",
    "The invitation does not exist, was used or revoked, or has expired. Ask for another one.",
  );
