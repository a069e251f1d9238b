import { useState } from "preact/hooks";
import { messageOf } from "../../../gateway/failure.js";
import { sendConfirmations } from "../../../gateway/session.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Button } from "../../../parts/button.js";
import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { useAttempt } from "../../../parts/states.js";
import { CHANNELS, type Channel, type Settings } from "./settings.js";

interface ChannelsProps {
  readonly settings: Settings;
  /** Creates a new secret for the webhook. */
  readonly renew: () => Promise<void>;
}

/** The notification channels, with their addresses. */
export function Channels({ settings: { channels }, renew }: ChannelsProps) {
  const { email } = useViewer().user;
  const { attempt, complaint } = useAttempt();
  const isOn = (channel: Channel) => (
    <Checkbox
      label={CHANNELS[channel]}
      name={`channels.${channel}.enabled`}
      defaultChecked={channels[channel].enabled}
    />
  );
  return (
    <fieldset class="card">
      <legend>Channels</legend>
      {isOn("in_app")}
      {isOn("email")}
      {channels.email.reason === "mail_not_configured" && (
        <p class="quiet">This gateway sends no e-mails: its operator has not set a mail server.</p>
      )}
      {channels.email.reason === "address_not_confirmed" && (
        <Unconfirmed address={channels.email.address ?? email} />
      )}
      <Field
        label="E-mail address"
        name="channels.email.address"
        type="email"
        value={channels.email.address ?? ""}
        hint={`Empty: ${email}`}
      />
      {isOn("webhook")}
      <Field
        label="URL of the webhook"
        name="channels.webhook.url"
        type="url"
        value={channels.webhook.url ?? ""}
        hint="https, at a public address. A new one makes a secret, with which requests are signed"
      />
      {channels.webhook.url !== null && <Button label="Make a new secret" onClick={() => attempt(renew)} />}
      {complaint}
    </fieldset>
  );
}

/** Warns that an address is unconfirmed, with a button that sends the link again. */
function Unconfirmed({ address }: { address: string }) {
  const [message, setMessage] = useState("");
  const send = () =>
    sendConfirmations().then(
      () => setMessage("A new link is on its way, unless we sent one in the last hour: then use that one."),
      (failure) => setMessage(messageOf(failure)),
    );
  return (
    <>
      <p>
        Check your inbox to confirm {address}. You won't get notifications by e-mail until you open the link.
      </p>
      <Button label="Send a link" onClick={send} />
      <p role="status">{message}</p>
    </>
  );
}
