import { useViewer } from "../../../gateway/viewer.js";
import { Button } from "../../../parts/button.js";
import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { SendLink } from "../../../parts/send-link.js";
import { useAttempt } from "../../../parts/states.js";
import { CHANNELS, type Channel, type Settings } from "./settings.js";

interface ChannelsProps {
  readonly settings: Settings;
  /** Creates a new secret for the webhook. */
  readonly renew: () => Promise<void>;
}

/** The notification channels and their addresses. */
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
      {channels.email.reason === "mail_not_configured" ? (
        <p class="quiet">E-mail is not available: the operator of this gateway has not set it up.</p>
      ) : (
        <>
          {isOn("email")}
          {channels.email.reason === "address_not_confirmed" && (
            <Unconfirmed address={channels.email.address ?? email} />
          )}
          <Field
            label="E-mail address"
            name="channels.email.address"
            type="email"
            value={channels.email.address ?? ""}
            hint={`Leave empty to use ${email}`}
          />
        </>
      )}
      {isOn("webhook")}
      <Field
        label="Webhook URL"
        name="channels.webhook.url"
        type="url"
        value={channels.webhook.url ?? ""}
        hint="A public https URL. If you change it, you get a new signing secret"
      />
      {channels.webhook.url !== null && <Button label="Create new secret" onClick={() => attempt(renew)} />}
      {complaint}
    </fieldset>
  );
}

/** Warns that an address is unconfirmed, with a button that sends the link again. */
const Unconfirmed = ({ address }: { address: string }) => (
  <>
    <p>
      Check your inbox to confirm {address}. You won't get notifications by e-mail until you open the link.
    </p>
    <SendLink />
  </>
);
