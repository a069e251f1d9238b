import { graphql } from "../../generated/console.js";
import { useQuery } from "../gateway/use-query.js";
import type { Settings } from "../pages/settings/notifications/settings.js";

const READ_DELIVERY = graphql(`
  query ConsoleMailDelivery { viewer { notificationPreferences { settings } } }
`);

interface MailNoteProps {
  /** Text to show if the gateway sends e-mails. */
  readonly mailed: string;
  /** Text to show if it does not. */
  readonly notMailed: string;
}

/** A note that depends on whether the gateway sends e-mails. Blank until that is known. */
export function MailNote({ mailed, notMailed }: MailNoteProps) {
  const { data } = useQuery(READ_DELIVERY, {});
  const settings = data?.viewer?.notificationPreferences.settings as Settings | undefined;
  if (settings === undefined) return <p class="quiet">{"\u00a0"}</p>;
  return <p class="quiet">{settings.channels.email.reason === "mail_not_configured" ? notMailed : mailed}</p>;
}
