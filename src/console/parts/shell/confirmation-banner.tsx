import { useViewer } from "../../gateway/viewer.js";
import { SendLink } from "../send-link.js";

/** Asks the user to confirm their address, if the gateway can send the link. */
export function ConfirmationBanner() {
  const { user, isConfirmationDue } = useViewer();
  if (!isConfirmationDue) return null;
  return (
    <section class="announcement warning" aria-label="Confirm your e-mail address">
      <div>
        <p>
          <strong>Confirm your e-mail address</strong>
        </p>
        <p>
          Open the link that we sent to <bdi>{user.email}</bdi>. You need a confirmed address to invite
          colleagues, create keys and verify emissions.
        </p>
        <SendLink />
      </div>
    </section>
  );
}
