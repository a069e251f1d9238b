import { randomUUID } from "node:crypto";
import type { SqlSession } from "../../data/database/types.js";
import type { Account } from "../../data/people/users.js";
import type { FactorMailKind } from "../../domain/notifications/link-mail.js";
import { type MailQueue, queueLinkMail } from "./link-mail.js";
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

/** E-mails about changes to how a user signs in. */
export type CredentialsMailKind = "password_changed" | "sso_linked" | FactorMailKind;

/** A change to how a user signs in. */
interface CredentialsEvent extends Pick<Notice, "title" | "now"> {
  readonly account: Pick<Account, "id" | "email" | "isConfirmed">;
  /** Text of the e-mail. */
  readonly kind: CredentialsMailKind;
  /** Network address of the request; null if it is unknown. */
  readonly address: string | null;
}

/**
 * Notifies a user of a change to how they sign in, or of its misuse. The e-mail has a fixed text and is sent whatever
 * the user's settings are, but only to a confirmed address.
 */
export async function notifyOfCredentials(
  resources: MailQueue,
  sql: SqlSession,
  { account: { id: userId, email, isConfirmed }, kind, address, ...event }: CredentialsEvent,
): Promise<void> {
  // Not the request's id: its client chooses it, and could repeat it to suppress the notification.
  const key = `${kind.replaceAll("_", " ")} ${randomUUID()}`;
  await notifyPerson(sql, { ...event, key, userId, isMailed: true });
  if (!isConfirmed) return;
  const mail = { kind, email, token: null, userId, organizationId: null } as const;
  await queueLinkMail(resources, sql, { ...mail, address, now: event.now });
}
