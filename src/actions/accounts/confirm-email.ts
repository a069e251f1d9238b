import { isToken } from "../../access/secrets/token.js";
import type { ActiveSession } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { cancelChangeMails, insertMailJob } from "../../data/notifications/mail-jobs.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import {
  confirmNotificationAddress,
  endLinksOf,
  findOpenMailLink,
  type OpenMailLink,
  renewCancelLink,
  spendMailLink,
} from "../../data/people/mail-links.js";
import { type Account, findAccountById } from "../../data/people/users.js";
import { changeEmail, confirmEmail, releaseEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword, lockUser } from "../../data/people/write-users.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { foldEmail } from "../../domain/people/email.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { expiryOf } from "../notifications/mail-tokens.js";
import { deadLink, fieldConflict, wrongCredentials } from "./account-errors.js";
import { checkPassword, lockCheckedAccount } from "./check-password.js";
import {
  type AccountsContext,
  type ClientInfo,
  findByToken,
  guessOf,
  hashesOf,
  writerOf,
} from "./context.js";

export interface AddressRequest {
  readonly token: string;
  /** Password of the account. Without it, the caller needs a session of the account, except to deny or cancel. */
  readonly password?: string | undefined;
  /** True if the recipient of the e-mail did not ask for it. */
  readonly deny: boolean;
}

/** An opened link with its account. */
interface OpenedLink {
  readonly context: AccountsContext;
  readonly client: ClientInfo;
  readonly link: OpenMailLink;
  readonly account: Account;
}

type Effect = (sql: SqlSession, opened: OpenedLink, now: Date) => Promise<boolean>;

/**
 * Uses a mailed link to confirm an address, to change the account's address to it, or to cancel that change. Returns
 * the address. To confirm or change, the caller also needs the account's session or password: otherwise, someone who
 * follows a link would confirm their address for a stranger who entered it. To cancel or deny, the link is enough.
 * Rejects with LINK_EXPIRED, whatever the reason, if the link cannot be used, and with CONFLICT if a change cannot be
 * undone because another account now has the address.
 */
export async function useAddressLink(
  context: AccountsContext,
  { token, password, deny }: AddressRequest,
  requireSession: () => Promise<ActiveSession>,
  client: ClientInfo,
): Promise<string> {
  const { database, noteChange } = context.resources;
  const { request } = client;
  const needsProof = !deny && !isToken("cancel", token);
  const session = needsProof && password === undefined ? await requireSession() : null;
  const isAddressToken = (["confirmation", "change", "cancel"] as const).some((kind) => isToken(kind, token));
  const hashes = hashesOf(context, token);
  const link = isAddressToken
    ? await findByToken(context, client, () => findOpenMailLink(database, hashes, request.now))
    : null;
  if (link === null || (session !== null && session.session.user.id !== link.userId)) throw deadLink();
  const account = await findAccountById(database, link.userId, request.address(), request.now);
  if (account === null) throw deadLink();
  const proves = needsProof && password !== undefined;
  if (proves) await checkPassword(context, guessOf(client, account.email, account), account, password);
  const [effect, action] = deny ? DENIALS[link.kind] : EFFECTS[link.kind];
  await write(
    database,
    writerOf(account, client),
    async (sql) => {
      const held = proves ? await lockCheckedAccount(sql, account) : await lockUser(sql, account.id);
      if (!held) throw wrongCredentials();
      if (!(await spendMailLink(sql, link.id, hashes, request.now))) throw deadLink();
      if (!(await effect(sql, { context, client, link, account }, request.now))) throw deadLink();
    },
    action,
  );
  noteChange({ table: "users", organizationId: null });
  return link.email;
}

const isOwn = ({ link, account }: OpenedLink) => foldEmail(link.email) === foldEmail(account.email);

const confirm: Effect = async (sql, opened, now) => {
  if (!isOwn(opened)) return false;
  await confirmEmail(sql, opened.account.id, now);
  return true;
};

const confirmForNotifications: Effect = (sql, { link }, now) =>
  confirmNotificationAddress(sql, link.userId, link.email, now);

const change: Effect = async (sql, { context, client, link, account }, now) => {
  if (!(await changeEmail(sql, account.id, link.email, now))) return false;
  await endLinksOf(sql, account.id, now);
  await renewCancelLink(sql, account.id, expiryOf("cancel", now));
  // The e-mail refers to the link that cancels the change, which only a confirmed address got.
  if (account.isConfirmed) {
    const address = client.request.address();
    const mail = { kind: "address_changed", email: account.email, token: null, userId: account.id } as const;
    await queueLinkMail(context.resources, sql, { ...mail, organizationId: null, address, now });
  }
  return true;
};

/**
 * Stops or undoes a change. An attacker who requested it has a session and may know the password, so this ends all
 * sessions and links, removes the password, resets the notification settings, and mails a link for a new password.
 */
const cancel: Effect = async (sql, { client, link }, now) => {
  if (!(await changeEmail(sql, link.userId, link.email, now)))
    throw fieldConflict(
      "email",
      "Another account now has this e-mail address. Ask your administrator for help.",
    );
  await endSessionsOf(sql, link.userId, now);
  await endLinksOf(sql, link.userId, now);
  await cancelChangeMails(sql, link.userId);
  await changePassword(sql, link.userId, null, now);
  await resetPreferences(sql, link.userId);
  const address = client.request.address();
  const job = { kind: "reset", email: link.email, userId: link.userId, organizationId: null } as const;
  await insertMailJob(sql, { ...job, tokenSealed: null, address, now });
  return true;
};

const release: Effect = async (sql, { link }, now) => {
  if (!(await releaseEmail(sql, link.userId, link.email, now))) return false;
  await endSessionsOf(sql, link.userId, now);
  await endLinksOf(sql, link.userId, now);
  await cancelChangeMails(sql, link.userId);
  return true;
};

const onlySpend: Effect = async () => true;

type Kind = OpenMailLink["kind"];
const RESET = [async () => false, "password.reset"] as const;

const EFFECTS: Readonly<Record<Kind, readonly [Effect, AuditAction]>> = {
  confirm: [confirm, "email.confirmed"],
  notifications: [confirmForNotifications, "notification_preferences.updated"],
  change: [change, "email.changed"],
  cancel: [cancel, "email.change_cancelled"],
  reset: RESET,
};

const DENIALS: Readonly<Record<Kind, readonly [Effect, AuditAction]>> = {
  ...EFFECTS,
  confirm: [release, "email.released"],
  notifications: [onlySpend, "notification_preferences.updated"],
  change: [onlySpend, "email.change_cancelled"],
};
