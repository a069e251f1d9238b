import { SecretDialog } from "../../parts/forms/secret-dialog.js";
import { MailNote } from "../../parts/mail-note.js";

interface VerifierLinkProps {
  readonly link: string;
  readonly email: string;
  /** Closes the page's dialog by default. */
  readonly onClose?: () => void;
}

/** Dialog with the link for the verifier, shown once. */
export function VerifierLink({ link, email, onClose }: VerifierLinkProps) {
  return (
    <SecretDialog
      title="Link for your verifier"
      intro={`Send this link to ${email}. It works once, within 30 days. Copy it now: you won't be able to see it again.`}
      label="Link for your verifier"
      value={link}
      {...(onClose && { onClose })}
    >
      <MailNote
        mailed="We also e-mail it to them, at most three times an hour."
        notMailed="This gateway doesn't send e-mails, so your verifier gets the link only from you."
      />
    </SecretDialog>
  );
}
