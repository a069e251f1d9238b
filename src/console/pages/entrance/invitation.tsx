import { acceptInvitation } from "../../gateway/session.js";
import { Field } from "../../parts/fields/field.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

/** Accepts an invitation with a new account, or with the password of the existing account. */
export function Invitation({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  return (
    <Entrance
      title="Accept the invitation"
      submit="Join"
      enter={(values) => acceptInvitation(token, textOf(values, "name"), textOf(values, "password"))}
      check={checkNewPassword}
      onDone={onDone}
      intro="If you have an account already, give its password. Otherwise choose one."
    >
      <Field label="Your name" name="name" autocomplete="name" />
      <NewPassword label="Password" />
    </Entrance>
  );
}
