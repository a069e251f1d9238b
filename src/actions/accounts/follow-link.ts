import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { endPasswordHold } from "../../data/notifications/mail-jobs.js";
import { findOpenLink } from "../../data/people/sign-in-links.js";
import { type Account, findAccountById, findActiveOrganization } from "../../data/people/users.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { asQueryable, mustUseProvider } from "../../data/sso/enforcement.js";
import { type Addition, reachFrom } from "../../domain/people/additions.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { type SignInOutcome, signInOrChallenge } from "../sessions/sign-in-or-challenge.js";
import { requireNoFaults, wrongLink } from "./account-errors.js";
import { removeAddedSince } from "./additions.js";
import { lockCheckedAccount } from "./check-password.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  guessOf,
  hashesOf,
  type Transport,
  writerOf,
} from "./context.js";

export interface LinkRequest {
  readonly token: string;
  /**
   * New password, which ends the account's other sessions. Required if the account has a password but an unconfirmed
   * e-mail address: the person who chose that password may not own the address.
   */
  readonly password?: string | undefined;
  /** True to remove what was added to the account in the last 7 days, before a second factor is asked for. */
  readonly removesAdded?: boolean;
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
  { token, password, removesAdded = false, transport }: LinkRequest,
  client: ClientInfo,
): Promise<SignInOutcome & { readonly removed?: readonly Addition[] }> {
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
  const removed = removesAdded ? await removeAdded(context, token, client, account) : undefined;
  const outcome = await signInOrChallenge(context, client, account, {
    entry: { kind: "link", token, passwordHash },
    transport,
  });
  return removed === undefined ? outcome : { ...outcome, removed };
}

/** Removes recent additions to the account of an unused sign-in link, and ends its sessions. */
async function removeAdded(
  context: AccountsContext,
  token: string,
  client: ClientInfo,
  account: Account,
): Promise<readonly Addition[]> {
  const { database, noteChange } = context.resources;
  const { now } = client.request;
  const removed = await write(database, writerOf(account, client), async (sql) => {
    if (!(await lockCheckedAccount(sql, account))) throw wrongLink();
    const link = await findOpenLink({ select: sql.query }, hashesOf(context, token), now);
    if (link?.userId !== account.id) throw wrongLink();
    const removal = await removeAddedSince({ context, sql, client, account }, reachFrom(now));
    await endSessionsOf(sql, account.id, now);
    await endPasswordHold(sql, account.id, now);
    return removal.removed;
  });
  noteChange({ table: "users", organizationId: null });
  return removed;
}
