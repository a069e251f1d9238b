import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { OnceDialog } from "../../parts/forms/once.js";
import type { Settings } from "../settings/notifications/settings.js";

const READ_DELIVERY = graphql(`
  query ConsoleMailDelivery { viewer { notificationPreferences { settings } } }
`);

interface VerifierLinkProps {
  readonly link: string;
  readonly email: string;
  /** Closes the page's dialog by default. */
  readonly onClose?: () => void;
}

/** Shows the link to send to the verifier, once. */
export function VerifierLink({ link, email, onClose }: VerifierLinkProps) {
  const { data } = useQuery(READ_DELIVERY, {});
  const settings = data?.viewer?.notificationPreferences.settings as Settings | undefined;
  const isMailed = settings && settings.channels.email.reason !== "mail_not_configured";
  return (
    <OnceDialog
      title="Link for your verifier"
      intro={`Send this link to ${email}. It works once, within 30 days. Copy it now: you won't be able to see it again.`}
      label="Link for your verifier"
      value={link}
      {...(onClose && { onClose })}
    >
      <p class="quiet">
        {isMailed === undefined
          ? "\u00a0"
          : isMailed
            ? "The gateway also e-mails it to them, at most three times an hour."
            : "This gateway sends no e-mails, so your verifier gets the link only from you."}
      </p>
    </OnceDialog>
  );
}
