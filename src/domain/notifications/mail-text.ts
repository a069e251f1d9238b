/** What an e-mail says of one notification. */
export interface MailedNotification {
  readonly title: string;
  readonly body: string;
  readonly organization: { readonly name: string } | null;
  readonly link: string | null;
}

/** The subject and the plain text of an e-mail about one or more notifications. `site` is where the console is. */
export function writeMail(
  notifications: readonly MailedNotification[],
  site: string,
): { readonly subject: string; readonly text: string } {
  const [first, ...others] = notifications;
  const subject = others.length === 0 ? (first?.title ?? "") : `${notifications.length} notifications`;
  const parts = notifications.map(({ title, body, organization, link }) =>
    [title, organization && `Organization: ${organization.name}`, body, link && site + link]
      .filter(Boolean)
      .join("\n"),
  );
  const footer = `You get this e-mail because of your settings: ${site}/console/settings/notifications`;
  return { subject, text: `${[...parts, `-- \n${footer}`].join("\n\n")}\n` };
}
