import { isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { cancelChangeMails, endPasswordHold } from "../../data/notifications/mail-jobs.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import { endLinksOf, findOpenMailLink, spendMailLink } from "../../data/people/mail-links.js";
import { findAccountById } from "../../data/people/users.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword, lockUser } from "../../data/people/write-users.js";
import { removeFactors } from "../../data/second-factors/factors.js";
import { mustUseProvider } from "../../data/sso/enforcement.js";
import { type Addition, reachFrom } from "../../domain/people/additions.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { notifyUser } from "../sessions/sign-in-methods.js";
import { deadLink, mailRequired, requireNoFaults } from "./account-errors.js";
import { holdPassword, type Removal, removeAddedSince } from "./additions.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  guessOf,
  hashesOf,
  writerOf,
} from "./context.js";
import { findOrganizationOf } from "./follow-link.js";

/**
 * Admits a request for a new password before its body is read. Rejects with OPERATOR_REQUIRED without a mail server,
 * and with RATE_LIMIT_EXCEEDED after too many requests from the network address.
 */
export async function admitReset(
  { resources, countReset }: AccountsContext,
  { request }: ClientInfo,
): Promise<void> {
  if (resources.outbound.mailer === null) throw mailRequired("users reset-link <email>");
  await countReset(request.address());
}

/**
 * Queues an e-mail with a link that resets a password. The mailer looks up the account later, so the response does not
 * reveal whether one exists.
 */
export async function requestReset(
  { resources }: AccountsContext,
  email: string,
  { request }: ClientInfo,
): Promise<void> {
  const anonymous = { actor: null, organizationId: null, requestId: request.id };
  const owner = { userId: null, organizationId: null, address: request.address(), now: request.now };
  await write(resources.database, { ...anonymous, renewTime: () => request.renewTime() }, (sql) =>
    queueLinkMail(resources, sql, { ...owner, kind: "reset", email, token: null }),
  );
}

export interface ResetRequest {
  readonly token: string;
  readonly password: string;
  /** True to remove what was added to the account in the last 7 days. */
  readonly removesAdded?: boolean;
}

export interface ResetResult {
  readonly endedSessions: number;
  readonly removed: readonly Addition[];
  /** Time at which a link for a new password is mailed, because this one set none; null if it did. */
  readonly passwordLinkAt: Date | null;
}

/**
 * Sets a new password with a mailed link and confirms the address. Ends all of the user's sessions and other links.
 * Rejects with LINK_EXPIRED, whatever the reason, if the link cannot be used. A password that breaks the rules does not
 * use up the link. Second factors remain unless the address was never confirmed, or `removesAdded` includes them. If a
 * mailed link removes the last one, the password is removed instead, and another link follows a day later.
 */
export async function finishReset(
  context: AccountsContext,
  { token, password, removesAdded = false }: ResetRequest,
  client: ClientInfo,
): Promise<ResetResult> {
  const { resources, passwords } = context;
  const { database, noteChange } = resources;
  const { request } = client;
  const { now } = request;
  const hashes = hashesOf(context, token);
  const link = isToken("reset", token)
    ? await findByToken(context, client, () => findOpenMailLink(database, hashes, now))
    : null;
  const account = link && (await findAccountById(database, link.userId, request.address(), now));
  if (!link || !account) throw deadLink();
  const organization = await findOrganizationOf(context, account.id);
  const owner = { email: account.email, ...(organization && { organization: organization.name }) };
  requireNoFaults({ password: findPasswordFault(password, owner) });
  const hash = await passwords.hash(password, guessOf(client, account.email, account));
  const result = await write(
    database,
    writerOf(account, client),
    async (sql) => {
      const user = await lockUser(sql, account.id);
      if (!user || user.disabledAt !== null || !(await spendMailLink(sql, link.id, hashes, now)))
        throw deadLink();
      if (await mustUseProvider(sql, account)) throw deadLink();
      const signIn = { context, sql, client, account: { ...account, isConfirmed: true } };
      // Somebody else may have registered the unconfirmed address, set up notifications and added a factor.
      if (!account.isConfirmed) {
        await resetPreferences(sql, account.id);
        await removeFactors(sql, account, now);
      }
      const { removed, isBare } = removesAdded
        ? await removeAddedSince(signIn, reachFrom(now))
        : NOTHING_REMOVED;
      if (link.byOperator) await endPasswordHold(sql, account.id, now);
      const passwordLinkAt = link.byOperator ? null : await holdPassword(signIn, { isBare });
      await changePassword(sql, account.id, passwordLinkAt === null ? hash : null, now);
      await confirmEmail(sql, account.id, now);
      await endLinksOf(sql, account.id, now);
      await cancelChangeMails(sql, account.id);
      await notifyUser(signIn, "password_changed", "Your password was changed");
      return { endedSessions: await endSessionsOf(sql, account.id, now), removed, passwordLinkAt };
    },
    "password.reset",
  );
  noteChange({ table: "sessions", organizationId: null });
  return result;
}

const NOTHING_REMOVED: Removal = { removed: [], isBare: false };
