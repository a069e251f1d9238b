import { finishReset } from "../../gateway/session.js";
import { checkNewPassword, NewPassword as PasswordField } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

/** Sets a new password by a mailed link. Signs nobody in. */
export const NewPassword = ({
  token,
  onDone,
}: {
  token: string;
  onDone: (text: string) => Promise<void>;
}) => (
  <Entrance
    title="Choose a new password"
    submit="Set password"
    enter={(values) => finishReset(token, textOf(values, "password"))}
    check={checkNewPassword}
    onDone={() => onDone("Your password is set. Sign in with it from now on.")}
    intro="This signs you out everywhere. Sign in with the new password afterwards."
  >
    <PasswordField label="New password" />
  </Entrance>
);
