import type { SqlSession } from "../../data/database/types.js";
import { lockPreferences, updatePreferences } from "../../data/notifications/preferences.js";
import {
  completeSettings,
  type NotificationSettings,
} from "../../domain/notifications/notification-settings.js";
import { patchSettings } from "../../domain/notifications/patch-settings.js";
import { notify } from "./notify.js";

/**
 * Switches off a user's webhook whose receiver answered 410, and notifies the user. Has no effect if the user has set
 * another URL since then; `used` are the settings of the request.
 */
export async function switchOffWebhook(
  sql: SqlSession,
  userId: string,
  used: NotificationSettings,
  now: Date,
): Promise<void> {
  const { changed, version, webhookSecret } = await lockPreferences(sql, userId);
  const { enabled, url } = completeSettings(changed).channels.webhook;
  if (!enabled || url !== used.channels.webhook.url) return;
  const off = patchSettings(changed, { channels: { webhook: { enabled: false } } });
  await updatePreferences(sql, userId, { changed: off.changed, webhookSecret });
  const title = "Your webhook was switched off";
  await notify(sql, {
    organizationId: null,
    to: { users: [userId] },
    key: `webhook of ${userId} answered 410 at version ${version}`,
    category: "security",
    severity: "medium",
    title,
    summary: title,
    body: "Its receiver answered 410 (Gone). Switch the webhook on again, or set another URL.",
    link: "/console/settings/notifications",
    now,
  });
}
