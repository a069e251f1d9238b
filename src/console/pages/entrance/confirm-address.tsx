import { confirmAddress } from "../../gateway/session.js";
import { Button } from "../../parts/button.js";
import { Entrance } from "./entrance.js";

/** Confirms an e-mail address by the link sent there. */
export function ConfirmAddress({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  return (
    <Entrance
      title="Confirm your email address"
      submit="Confirm"
      enter={() => confirmAddress(token)}
      onDone={onDone}
      intro="Notifications for your account will be sent to the address where you got this link."
      more={<Button label="Not now" onClick={onDone} />}
    />
  );
}
