import type { NotificationCategory } from "./categories.js";

/** A notification in an e-mail. */
export interface MailedNotification {
  readonly category: NotificationCategory;
  /** Empty to use the default sentence of the category. */
  readonly summary: string;
  readonly link: string | null;
}

const SUMMARIES: Readonly<Record<NotificationCategory, string>> = {
  deadline: "A compliance deadline is near",
  anomaly: "There are unusual emissions",
  verification: "There is news about a verification",
  credit: "There is news about carbon credits",
  market: "There is news about carbon markets",
  announcement: "There is an announcement",
  security: "There is news about the security of your account or organization",
};

/** Maximum number of notifications listed in one e-mail. */
const MAX_LISTED = 20;

/**
 * Writes the subject and plain text of an e-mail about one or more notifications. Neither contains anything written by
 * a tenant, such as the name of an organization or a key: mail programs would present it as the gateway's own, and turn
 * URLs in it into links. `site` is the URL of the gateway.
 */
export function writeMail(
  notifications: readonly MailedNotification[],
  site: string,
): { readonly subject: string; readonly text: string } {
  const sentences = notifications.map(({ summary, category }) => summary || SUMMARIES[category]);
  const [first = "", ...others] = sentences;
  const subject = others.length === 0 ? first : `${notifications.length} notifications`;
  const parts = notifications
    .slice(0, MAX_LISTED)
    .map(({ link }, index) => [`${sentences[index]}.`, link && site + link].filter(Boolean).join("\n"));
  const more = notifications.length - MAX_LISTED;
  if (more > 0) parts.push(`And ${more} more: ${site}/console/notifications`);
  const footer = `Change which e-mails you get: ${site}/console/settings/notifications`;
  return { subject, text: `${[...parts, `-- \n${footer}`].join("\n\n")}\n` };
}
