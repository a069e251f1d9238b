import { randomUUID } from "node:crypto";
import type { SqlSession } from "../../data/database/types.js";
import { insertAdditionLink } from "../../data/people/addition-links.js";
import type { Account } from "../../data/people/users.js";
import type { FactorMailKind } from "../../domain/notifications/link-mail.js";
import { type Addition, mailed } from "../../domain/people/additions.js";
import { tooMany } from "../../errors.js";
import { type MailQueue, queueLinkMail } from "./link-mail.js";
import { createAdditionLink } from "./mail-tokens.js";
import { type Notice, notify } from "./notify.js";

/** Notifies users of an event that concerns their organization's security. */
export const notifyOfSecurity = (
  sql: SqlSession,
  notice: Omit<Notice, "category" | "severity" | "body"> & { readonly body?: string },
): Promise<void> => notify(sql, { body: "", ...notice, category: "security", severity: "medium" });

/** Notifies a user, once per key, of an event that concerns the security of their account. */
export const notifyPerson = (
  sql: SqlSession,
  { userId, ...event }: Pick<Notice, "key" | "title" | "now" | "isMailed"> & { readonly userId: string },
): Promise<void> => {
  const { title } = event;
  return notify(sql, {
    ...event,
    organizationId: null,
    to: { users: [userId] },
    category: "security",
    severity: "high",
    summary: title,
    body: "If this wasn't you, change your password and end the sessions that you don't recognize.",
    link: "/console/settings/sessions",
  });
};

const HOUR_MS = 3_600_000;

/** E-mails about changes to how a user signs in. */
export type CredentialsMailKind =
  | "password_changed"
  | "sso_linked"
  | "sign_in_link_used"
  | "additions_removed"
  | FactorMailKind;

/** Something that was just added, which a link in the e-mail removes. `id` is the account's if it has no own. */
export interface NewAddition {
  readonly kind: "totp" | "passkey" | "recovery_codes" | "identity" | "session";
  readonly id: string;
}

/** A change to how a user signs in. */
export interface CredentialsEvent extends Pick<Notice, "title" | "now"> {
  readonly account: Pick<Account, "id" | "email" | "isConfirmed">;
  /** Text of the e-mail. */
  readonly kind: CredentialsMailKind;
  /** Network address of the request; null if it is unknown. */
  readonly address: string | null;
  readonly addition?: NewAddition | undefined;
  /** Additions that the e-mail lists as removed. */
  readonly removed?: readonly Addition[];
}

/**
 * Notifies a user of a change to how they sign in, or of its misuse. The e-mail has a fixed text and is sent whatever
 * the user's settings are, but only to a confirmed address. Throws RATE_LIMIT_EXCEEDED if an addition could not be mailed.
 */
export async function notifyOfCredentials(
  resources: MailQueue,
  sql: SqlSession,
  {
    account: { id: userId, email, isConfirmed },
    kind,
    address,
    addition,
    removed,
    ...event
  }: CredentialsEvent,
): Promise<void> {
  const { now } = event;
  // Not the request's id: its client chooses it, and could repeat it to suppress the notification.
  const key = `${kind.replaceAll("_", " ")} ${randomUUID()}`;
  await notifyPerson(sql, { ...event, key, userId, isMailed: true });
  if (!isConfirmed) return;
  const link =
    addition &&
    createAdditionLink(
      { userId, kind: addition.kind, targetId: addition.id, addedAt: now, now },
      resources.pepper,
    );
  const listed = addition
    ? [{ kind: addition.kind, addedAt: now.toISOString() }]
    : removed && mailed(removed);
  const isQueued = await queueLinkMail(resources, sql, {
    kind,
    email,
    token: link?.token ?? null,
    userId,
    organizationId: null,
    address,
    details: listed ?? null,
    now,
  });
  if (!link || resources.outbound.mailer === null) return;
  if (!isQueued) throw tooMany("Too many changes to how you sign in.", HOUR_MS);
  await insertAdditionLink(sql, link.row, now);
}
