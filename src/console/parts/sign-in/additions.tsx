import type { AdditionKind, LeftKind } from "../../../domain/people/additions.js";
import type { Addition, LeftAddition } from "../../gateway/session.js";
import { Checkbox } from "../fields/checkboxes.js";
import { Moment } from "../moment.js";
import { programOf } from "../program.js";

const NAMES: Readonly<Record<AdditionKind, string>> = {
  totp: "Authenticator app",
  passkey: "Passkey",
  recovery_codes: "Recovery codes",
  identity: "Single sign-on of",
  session: "Session in",
  email_change: "Change of address to",
  notification_address: "Notifications to",
  notification_webhook: "Notifications to",
};

const LEFT_NAMES: Readonly<Record<LeftKind, string>> = {
  membership: "Membership",
  invitation: "Invitation of",
  api_key: "API key",
  service_account: "Service account",
  webhook_endpoint: "Webhook to",
};

const nameOf = ({ kind, name }: Addition) =>
  `${NAMES[kind]} ${kind === "session" ? programOf(name || null) : name}`.trim();

/** A list of access that was added to an account. */
export const AdditionList = ({ additions }: { additions: readonly Addition[] }) => (
  <ul>
    {additions.map((one, index) => (
      <li key={index}>
        {nameOf(one)}
        {one.added_at && (
          <>
            , added on <Moment at={one.added_at} />
          </>
        )}
      </li>
    ))}
  </ul>
);

interface RemoveAddedProps {
  readonly additions: readonly Addition[];
  readonly left: readonly LeftAddition[];
  /** Hours until a link for a new password follows if the additions are removed; 0 without a wait. */
  readonly delayHours: number;
}

/** A checkbox, `remove_added`, below a list of what it removes. Empty without additions. */
export const RemoveAdded = ({ additions, left, delayHours }: RemoveAddedProps) =>
  additions.length === 0 ? null : (
    <fieldset>
      <legend>Added to your account in the last 7 days</legend>
      <AdditionList additions={additions} />
      <Checkbox name="remove_added" label="Some of this wasn't me: remove all of it" />
      {delayHours > 0 && (
        <small class="explanation">
          This includes your last second factor. To protect you from someone who only reads your e-mails, we
          send the link for your new password {delayHours} hours later. Until then, nobody can sign in with a
          password.
        </small>
      )}
      <LeftList left={left} />
    </fieldset>
  );

/** A list of what a user added to organizations, for their admins. Empty without any. */
export const LeftList = ({ left }: { left: readonly LeftAddition[] }) =>
  left.length === 0 ? null : (
    <>
      <p>
        These belong to an organization and are not removed. If someone else added them, ask an admin to
        remove them:
      </p>
      <ul>
        {left.map(({ kind, name, organization, added_at: at }, index) => (
          <li key={index}>
            {kind === "membership" ? LEFT_NAMES[kind] : `${LEFT_NAMES[kind]} ${name}`} in {organization},
            added on <Moment at={at} />
          </li>
        ))}
      </ul>
    </>
  );
