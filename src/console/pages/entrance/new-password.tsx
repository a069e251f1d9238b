import { finishReset } from "../../gateway/session.js";
import { checkNewPassword, NewPassword as PasswordField } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

/** Sets a new password with the token from a link. Does not sign in. */
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
    intro="This signs you out everywhere. Then sign in with your new password."
  >
    <PasswordField label="New password" />
  </Entrance>
);
