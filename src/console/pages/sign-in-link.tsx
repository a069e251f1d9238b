import { followLink } from "../gateway/session.js";
import { Entrance } from "../parts/entrance.js";
import { checkNewPassword, NewPassword } from "../parts/fields/new-password.js";
import { textOf } from "../parts/forms/form.js";

/** The first sign-in, or one after a password was forgotten: by a link, which works once. */
export function SignInLink({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  return (
    <Entrance
      title="Set a password"
      submit="Set password and sign in"
      enter={(values) => followLink(token, textOf(values, "password"))}
      check={checkNewPassword}
      onDone={onDone}
      intro="The link that you followed signs you in once. Choose the password for the next times."
    >
      <NewPassword label="New password" />
    </Entrance>
  );
}
