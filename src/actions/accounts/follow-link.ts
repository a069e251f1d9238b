import { isToken } from "../../access/secrets/token.js";
import { findOpenLink } from "../../data/people/sign-in-links.js";
import { findAccountById, findActiveOrganization } from "../../data/people/users.js";
import { asQueryable, mustUseProvider } from "../../data/sso/enforcement.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { type SignInOutcome, signInOrChallenge } from "../sessions/sign-in-or-challenge.js";
import { requireNoFaults, wrongLink } from "./account-errors.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  guessOf,
  hashesOf,
  type Transport,
} from "./context.js";

export interface LinkRequest {
  readonly token: string;
  /**
   * New password, which ends the account's other sessions. Required if the account has a password but an unconfirmed
   * e-mail address: the person who chose that password may not own the address.
   */
  readonly password?: string | undefined;
  readonly transport: Transport;
}

const UNCONFIRMED =
  "expected a new password, got none. It is required because the account's e-mail address was never confirmed";

/** Finds the account of a usable sign-in link; null for any other token. */
export async function findUsableLink(context: AccountsContext, token: string, client: ClientInfo) {
  const { database } = context.resources;
  const { request } = client;
  if (!isToken("link", token)) return null;
  const find = () => findOpenLink(database, hashesOf(context, token), request.now);
  const link = await findByToken(context, client, find);
  const account = link && (await findAccountById(database, link.userId, request.address(), request.now));
  if (account?.disabledAt !== null) return null;
  return (await mustUseProvider(asQueryable(database), account)) ? null : { account };
}

/** Finds the organization that is active after sign-in; null for a user without one. */
export const findOrganizationOf = ({ resources }: AccountsContext, userId: string) =>
  findActiveOrganization({ query: resources.database.select }, userId);

/**
 * Signs a user in with a single-use link, or returns a challenge for the second factor. Rejects with
 * INVALID_CREDENTIALS if the link cannot be used.
 */
export async function followLink(
  context: AccountsContext,
  { token, password, transport }: LinkRequest,
  client: ClientInfo,
): Promise<SignInOutcome> {
  const found = await findUsableLink(context, token, client);
  if (found === null) throw wrongLink();
  const { account } = found;
  if (password === undefined) {
    if (!account.isConfirmed && account.passwordHash !== null) requireNoFaults({ password: UNCONFIRMED });
  } else {
    const organization = await findOrganizationOf(context, account.id);
    const owner = { email: account.email, ...(organization && { organization: organization.name }) };
    requireNoFaults({ password: findPasswordFault(password, owner) });
  }
  const guess = guessOf(client, account.email, account);
  const passwordHash = password === undefined ? null : await context.passwords.hash(password, guess);
  return signInOrChallenge(context, client, account, {
    entry: { kind: "link", token, passwordHash },
    transport,
  });
}
