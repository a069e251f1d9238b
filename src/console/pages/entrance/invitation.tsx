import { acceptInvitation } from "../../gateway/session.js";
import { Field } from "../../parts/fields/field.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { describeRole } from "../../parts/roles.js";
import { Entrance } from "./entrance.js";
import { AccountField, OpenedLink } from "./opened-link.js";

/** Accepts an invitation with a new or an existing account. */
export const Invitation = ({ token, onDone }: { token: string; onDone: () => Promise<void> }) => (
  <OpenedLink token={token} onLeave={onDone}>
    {({ email, organization, inviter, role }) => (
      <Entrance
        title={`Join ${organization}`}
        submit="Join"
        enter={(values) => acceptInvitation(token, textOf(values, "name"), textOf(values, "password"))}
        check={checkNewPassword}
        onDone={async () => {
          showMessage({ text: `Welcome to ${organization}. ${describeRole(role)}` });
          await onDone();
        }}
        intro={`${inviter === null ? "You have been invited" : `${inviter} invited you`} to ${organization}. ${describeRole(role)}`}
      >
        <AccountField email={email} />
        <Field
          label="Your name"
          name="name"
          autocomplete="name"
          hint="Leave empty if you already have an account"
        />
        <NewPassword
          label="Password"
          consequence=" If you have an account with this address, enter its password."
        />
      </Entrance>
    )}
  </OpenedLink>
);
