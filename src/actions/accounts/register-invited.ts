import { randomUUID } from "node:crypto";
import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { acceptInvitation, findOpenInvitation, type OpenInvitation } from "../../data/people/invitations.js";
import { findAccountByEmail } from "../../data/people/users.js";
import { insertUser } from "../../data/people/write-users.js";
import { asQueryable, isReserved } from "../../data/sso/enforcement.js";
import type { PasswordAttempt } from "../../domain/people/password-attempt.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { AppError } from "../../errors.js";
import { beginSession, type SignedIn } from "../sessions/begin-session.js";
import { type SignInOutcome, signInOrChallenge } from "../sessions/sign-in-or-challenge.js";
import { requireFreeAddress } from "../sso/enforcement-checks.js";
import {
  fieldConflict,
  noInvitation,
  ownerFirst,
  requireNoFaults,
  requireRegistration,
} from "./account-errors.js";
import { checkPassword, countGuess } from "./check-password.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  guessOf,
  hashesOf,
  type Transport,
  writerOf,
} from "./context.js";
import { sendConfirmationsTo } from "./send-confirmations.js";

export interface InvitedRequest {
  readonly invitation: string;
  /** Password of the existing account with the invitation's e-mail address, or else of the new account. */
  readonly password: string;
  /** Name of a new account; by default, the part of the e-mail address before the @. */
  readonly name?: string | undefined;
  readonly transport: Transport;
}

/** Finds the invitation of a token; null if it cannot be accepted. */
export const findInvitation = async (context: AccountsContext, token: string, client: ClientInfo) =>
  isToken("invitation", token)
    ? findByToken(context, client, () =>
        findOpenInvitation(context.resources.database, hashesOf(context, token), client.request.now),
      )
    : null;

/**
 * Accepts an invitation: adds the invited user to the organization and signs them in, or returns a challenge if they
 * need a second factor first. Checks the invitation, the password rules and the limits in the same order for new and
 * existing accounts, so that a refusal does not reveal whether the e-mail address has one.
 */
export async function registerInvited(
  context: AccountsContext,
  body: InvitedRequest,
  client: ClientInfo,
): Promise<SignInOutcome> {
  requireRegistration(context.registration, "invite");
  const { database, noteChange } = context.resources;
  const { request } = client;
  const invitation = await findInvitation(context, body.invitation, client);
  if (invitation === null) throw noInvitation();
  if (invitation.needsOwnerFirst) throw ownerFirst();
  const { email, organization } = invitation;
  requireNoFaults({ password: findPasswordFault(body.password, { email, organization: organization.name }) });
  await context.countRegistration(request.address());
  const account = await findAccountByEmail(database, email, request.address(), request.now);
  const sql = asQueryable(database);
  const guess = guessOf(client, email, account);
  if (account === null && !(await isReserved(sql, email))) {
    const signedIn = await joinAsNewUser(context, guess, invitation, body, client);
    noteChange({ table: null, organizationId: organization.id });
    return signedIn;
  }
  const entry = { kind: "invitation", token: body.invitation, organizationId: organization.id } as const;
  const checked = await checkPassword(context, guess, account, body.password).catch(async (error) => {
    // The same refusal for every address of the domain reveals no account.
    if (error instanceof AppError && error.code === "INVALID_CREDENTIALS")
      await requireFreeAddress(sql, email);
    throw error;
  });
  return signInOrChallenge(context, client, checked, { entry, transport: body.transport });
}

async function joinAsNewUser(
  context: AccountsContext,
  guess: PasswordAttempt,
  invitation: OpenInvitation,
  { password, name, transport }: InvitedRequest,
  client: ClientInfo,
): Promise<SignedIn> {
  const { email, organization } = invitation;
  const passwordHash = await countGuess(context, guess, () => context.passwords.hash(password, guess));
  const user = { id: randomUUID(), email, name: name ?? nameIn(email), passwordHash };
  return write(context.resources.database, writerOf(user, client, organization.id), async (sql) => {
    const createdAt = await insertUser(sql, user, client.request.now);
    if (createdAt === null)
      throw fieldConflict("invitation", "This e-mail address has just been registered. Try again.");
    if (!(await acceptInvitation(sql, invitation, user.id, client.request.now))) throw noInvitation();
    const start = { transport, active: invitation.organization };
    const signedIn = await beginSession(context, sql, client, { ...user, createdAt }, start);
    // Sends nothing if an invitation from the operator, or a mailed one, has already confirmed the address.
    await sendConfirmationsTo(context, sql, user.id, client);
    return signedIn;
  });
}

const nameIn = (email: string) => cutText(email.slice(0, email.lastIndexOf("@")), TEXT_LIMITS.name);
