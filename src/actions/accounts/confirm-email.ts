import { isToken } from "../../access/secrets/token.js";
import type { ActiveSession } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { endForeignDisabling } from "../../data/directory/write-users.js";
import { cancelChangeMails, endPasswordHold, insertMailJob } from "../../data/notifications/mail-jobs.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import { listLeftAdditions } from "../../data/people/additions.js";
import {
  confirmNotificationAddress,
  endLinksOf,
  findOpenMailLink,
  type OpenMailLink,
  removeNotificationAddress,
  renewCancelLink,
  spendMailLink,
} from "../../data/people/mail-links.js";
import { type Account, findAccountById } from "../../data/people/users.js";
import { changeEmail, confirmEmail, releaseEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword, lockUser } from "../../data/people/write-users.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { domainOf } from "../../domain/domains/domain-name.js";
import { type Addition, type LeftAddition, reachFrom } from "../../domain/people/additions.js";
import { foldEmail } from "../../domain/people/email.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { expiryOf } from "../notifications/mail-tokens.js";
import { deadLink, fieldConflict, wrongCredentials } from "./account-errors.js";
import { removeAddedSince } from "./additions.js";
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

/** Effects of a link about an address. */
export interface AddressResult {
  readonly email: string;
  /** Additions of a denied or cancelled request; null for another link. */
  readonly removed: readonly Addition[] | null;
  /** Additions of the user to organizations in the same time. */
  readonly left: readonly LeftAddition[];
}

/** Applies a link. Returns what it removed; null if the link cannot be used. */
type Effect = (
  sql: SqlSession,
  opened: OpenedLink,
  now: Date,
) => Promise<Omit<AddressResult, "email"> | null>;

const CONFIRMED = { removed: null, left: [] };

/**
 * Uses a mailed link to confirm an address, to change the account's address to it, or to cancel that change. To confirm
 * or change, the caller also needs the account's session or password: otherwise, someone who follows a link would
 * confirm their address for a stranger who entered it. To cancel or deny, the link is enough. Rejects with LINK_EXPIRED,
 * whatever the reason, if the link cannot be used, and with CONFLICT if a change cannot be undone because another
 * account now has the address.
 */
export async function useAddressLink(
  context: AccountsContext,
  { token, password, deny }: AddressRequest,
  requireSession: () => Promise<ActiveSession>,
  client: ClientInfo,
): Promise<AddressResult> {
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
  const result = await write(
    database,
    writerOf(account, client),
    async (sql) => {
      const held = proves ? await lockCheckedAccount(sql, account) : await lockUser(sql, account.id);
      if (!held) throw wrongCredentials();
      if (!(await spendMailLink(sql, link.id, hashes, request.now))) throw deadLink();
      const done = await effect(sql, { context, client, link, account }, request.now);
      if (done === null) throw deadLink();
      return done;
    },
    action,
  );
  noteChange({ table: "users", organizationId: null });
  return { ...result, email: link.email };
}

const isOwn = ({ link, account }: Pick<OpenedLink, "link" | "account">) =>
  foldEmail(link.email) === foldEmail(account.email);

const confirm: Effect = async (sql, opened, now) => {
  if (!isOwn(opened)) return null;
  await confirmEmail(sql, opened.account.id, now);
  return CONFIRMED;
};

const confirmForNotifications: Effect = async (sql, { link }, now) =>
  (await confirmNotificationAddress(sql, link.userId, link.email, now)) ? CONFIRMED : null;

const change: Effect = async (sql, { context, client, link, account }, now) => {
  if (!(await changeEmail(sql, account.id, link.email, now))) return null;
  await endLinksOf(sql, account.id, now);
  await renewCancelLink(sql, account.id, expiryOf("cancel", now));
  // The e-mail refers to the link that cancels the change, which only a confirmed address got.
  if (account.isConfirmed) {
    const address = client.request.address();
    const mail = { kind: "address_changed", email: account.email, token: null, userId: account.id } as const;
    await queueLinkMail(context.resources, sql, { ...mail, organizationId: null, address, now });
  }
  return CONFIRMED;
};

/**
 * Stops or undoes a change. An attacker who requested it has a session and may know the password, so this removes what
 * was added from 7 days before the request, ends all sessions and links, removes the password, resets the notification
 * settings, enables an account that a foreign directory disabled, and mails a link for a new password.
 */
const cancel: Effect = async (sql, { context, client, link, account }, now) => {
  const since = reachFrom(link.createdAt);
  if (!(await changeEmail(sql, link.userId, link.email, now)))
    throw fieldConflict(
      "email",
      "Another account now has this e-mail address. Ask your administrator for help.",
    );
  await endForeignDisabling(sql, link.userId, domainOf(link.email), link.createdAt);
  const owner = { context, sql, client, account: { ...account, email: link.email, isConfirmed: true } };
  const { removed } = await removeAddedSince(owner, since, { withReceivers: true });
  await endSessionsOf(sql, link.userId, now);
  await endLinksOf(sql, link.userId, now);
  await cancelChangeMails(sql, link.userId);
  await endPasswordHold(sql, link.userId, now);
  await changePassword(sql, link.userId, null, now);
  await resetPreferences(sql, link.userId);
  const address = client.request.address();
  const job = { kind: "reset", email: link.email, userId: link.userId, organizationId: null } as const;
  await insertMailJob(sql, { ...job, tokenSealed: null, address, now });
  if (!isOwn({ link, account })) {
    const notice = { kind: "change_undone", email: account.email, token: null, userId: link.userId } as const;
    await queueLinkMail(context.resources, sql, { ...notice, organizationId: null, address, now });
  }
  return { removed, left: await listLeftAdditions(sql, link.userId, since) };
};

const release: Effect = async (sql, { link }, now) => {
  if (!(await releaseEmail(sql, link.userId, link.email, now))) return null;
  await endSessionsOf(sql, link.userId, now);
  await endLinksOf(sql, link.userId, now);
  await cancelChangeMails(sql, link.userId);
  return CONFIRMED;
};

/** Removes the address from the account's notifications. */
const denyNotifications: Effect = async (sql, { link }) => {
  await removeNotificationAddress(sql, link.userId, link.email);
  return denied("notification_address", link);
};

/** The link of a change is all there is of it. */
const denyChange: Effect = async (_sql, { link }) => denied("email_change", link);

const denied = (
  kind: "notification_address" | "email_change",
  { userId: id, email: name, createdAt: addedAt }: OpenMailLink,
) => ({ removed: [{ kind, id, name, addedAt }], left: [] });

type Kind = OpenMailLink["kind"];
const RESET = [async () => null, "password.reset"] as const;

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
  notifications: [denyNotifications, "notification_preferences.updated"],
  change: [denyChange, "email.change_cancelled"],
};
