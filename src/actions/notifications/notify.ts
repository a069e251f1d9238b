import type { SqlSession } from "../../data/database/types.js";
import {
  type Addressee,
  insertNotifications,
  listRecipients,
  type NewNotification,
  type RecipientRow,
} from "../../data/notifications/write-notifications.js";
import { timeOfEmail } from "../../domain/notifications/digest.js";
import { completeSettings, findEnabledChannels } from "../../domain/notifications/notification-settings.js";
import { ROLE_SCOPES, ROLES, type Role } from "../../domain/people/roles.js";
import type { Scope } from "../../domain/scopes.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";

/**
 * A notification and its recipients. `key` names the event, such as `certificate CGW-2026-000001 issued`: a user is
 * notified of it once in 90 days. `link` is a path of the console, such as `/console/compliance`. With an organization,
 * users see the notification while that organization is active, and it is delivered to members only. Without one, it
 * also reaches users who are not members.
 */
export interface Notice extends NewNotification {
  /** Users by their ids, or the members of the organization with one of several roles, or whose role has a scope. */
  readonly to:
    | { readonly users: readonly string[] }
    | { readonly membersAs: readonly Role[] }
    | { readonly membersWith: Scope };
  /** True if the event also sends an e-mail with a fixed text; the notification itself is then not e-mailed. */
  readonly isMailed?: boolean;
}

/**
 * Notifies users in the transaction that causes the event: in the console, and by e-mail and webhook, according to each
 * user's settings. A rollback cancels the notifications.
 */
export async function notify(sql: SqlSession, { to, isMailed = false, ...given }: Notice): Promise<void> {
  const [title, body] = [cutText(given.title, TEXT_LIMITS.title), cutText(given.body, TEXT_LIMITS.body)];
  const notification = { ...given, title, body };
  const recipients = await listRecipients(sql, selectRecipients(to, notification.organizationId));
  const addressees = recipients.map((recipient) => chooseChannels(recipient, notification, isMailed));
  if (addressees.length > 0) await insertNotifications(sql, notification, addressees);
}

function selectRecipients(to: Notice["to"], organizationId: string | null) {
  if ("users" in to) return to;
  if (organizationId === null) throw new Error("notifying members requires an organization");
  if ("membersAs" in to) return { organizationId, roles: to.membersAs };
  return { organizationId, roles: ROLES.filter((role) => ROLE_SCOPES[role].includes(to.membersWith)) };
}

/** Chooses the channels for a user. Only e-mails are collected into digests; an unconfirmed address gets none. */
function chooseChannels(
  { userId, changed, isConfirmed }: RecipientRow,
  { category, severity, now }: NewNotification,
  isMailed: boolean,
): Addressee {
  const settings = completeSettings(changed);
  const enabled = findEnabledChannels(settings, category, severity);
  const { url } = settings.channels.webhook;
  return {
    userId,
    inApp: enabled.in_app,
    deliveries: [
      ...(enabled.email && isConfirmed && !isMailed
        ? [{ channel: "email", nextAt: timeOfEmail(settings.digest, now), host: null } as const]
        : []),
      ...(enabled.webhook && url !== null
        ? [{ channel: "webhook", nextAt: now, host: new URL(url).hostname } as const]
        : []),
    ],
  };
}
