import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import { findOpenLink, spendLink } from "../../data/people/sign-in-links.js";
import { findAccountById, findActiveOrganization } from "../../data/people/users.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword } from "../../data/people/write-users.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { tellOfPassword, tellPerson } from "../notifications/security.js";
import { beginSession, type SignedIn } from "../sessions/begin-session.js";
import { holdAccount } from "./check-password.js";
import {
  type AccountsContext,
  findByToken,
  guessOf,
  hashesOf,
  type Transport,
  type Visit,
  writerOf,
} from "./context.js";
import { requireNoFaults, wrongLink } from "./refusals.js";

export interface LinkRequest {
  readonly token: string;
  /**
   * New password of the account; setting it ends the account's other sessions. Required if the account has a password
   * and an unconfirmed e-mail address, because the person who chose that password may not own the address.
   */
  readonly password?: string | undefined;
  readonly transport: Transport;
}

const UNCONFIRMED =
  "expected a new password, because the account's e-mail address was never confirmed, got none";

/** Finds a sign-in link that can be used, with its account; null for any other token. */
export async function findUsableLink(context: AccountsContext, token: string, visit: Visit) {
  const { database } = context.resources;
  const { request } = visit;
  if (!isToken("link", token)) return null;
  const find = () => findOpenLink(database, hashesOf(context, token), request.now);
  const link = await findByToken(context, visit, find);
  const account = link && (await findAccountById(database, link.userId, request.address(), request.now));
  return link && account?.disabledAt === null ? { link, account } : null;
}

/** Finds the organization that is active after a user signs in; null for a user without one. */
export const findOrganizationOf = ({ resources }: AccountsContext, userId: string) =>
  findActiveOrganization({ query: resources.database.select }, userId);

/** Signs a user in with a single-use link. Rejects with INVALID_CREDENTIALS if the link cannot be used. */
export async function followLink(
  context: AccountsContext,
  { token, password, transport }: LinkRequest,
  visit: Visit,
): Promise<SignedIn> {
  const { resources, passwords } = context;
  const { database, noteChange } = resources;
  const { request } = visit;
  const { now } = request;
  const found = await findUsableLink(context, token, visit);
  if (found === null) throw wrongLink();
  const { link, account } = found;
  if (password === undefined) {
    if (!account.isConfirmed && account.passwordHash !== null) requireNoFaults({ password: UNCONFIRMED });
  } else {
    const organization = await findOrganizationOf(context, account.id);
    const owner = { email: account.email, ...(organization && { organization: organization.name }) };
    requireNoFaults({ password: findPasswordFault(password, owner) });
  }
  const guess = guessOf(visit, account.email, account);
  const hash = password === undefined ? null : await passwords.hash(password, guess);
  const signedIn = await write(
    database,
    writerOf(account, visit),
    async (sql) => {
      if (!(await holdAccount(sql, account)) || !(await spendLink(sql, link.id, now))) throw wrongLink();
      // Only commands create these links: the operator vouches for the address.
      if (hash !== null && !account.isConfirmed) await resetPreferences(sql, account.id);
      await confirmEmail(sql, account.id, now);
      if (hash !== null) {
        await changePassword(sql, account.id, hash, now);
        await endSessionsOf(sql, account.id, now);
      }
      if (hash === null) {
        const title = "A sign-in link was used";
        await tellPerson(sql, { key: `link used ${link.id}`, userId: account.id, title, now });
      } else {
        const title = "A sign-in link was used, and your password was changed";
        const told = { ...account, isConfirmed: true };
        await tellOfPassword(resources, sql, { account: told, title, address: request.address(), now });
      }
      return beginSession(context, sql, visit, account, transport);
    },
    "user.password_changed",
  );
  if (hash !== null) noteChange({ table: "sessions", organizationId: null });
  return signedIn;
}
