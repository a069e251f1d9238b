import { register } from "../gateway/session.js";
import { Entrance } from "../parts/entrance.js";
import { Field, Form, textOf } from "../parts/form.js";
import { checkNewPassword, PASSWORD_HINT } from "../parts/password.js";

/** Accepts an invitation with a new account, or with the password of the account that is there. */
export function Invitation({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  const send = async (values: FormData) => {
    await register(token, textOf(values, "name"), textOf(values, "password"));
    await onDone();
  };
  return (
    <Entrance title="Accept the invitation">
      <p>If you have an account already, give its password. Otherwise choose one.</p>
      <Form submit="Join" onSubmit={send} check={checkNewPassword}>
        <Field label="Your name" name="name" autocomplete="name" maxlength={200} />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="new-password"
          hint={PASSWORD_HINT}
          required
        />
      </Form>
    </Entrance>
  );
}
