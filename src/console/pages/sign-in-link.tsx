import { followLink } from "../gateway/session.js";
import { Entrance } from "../parts/entrance.js";
import { Field, Form, textOf } from "../parts/form.js";
import { checkNewPassword, PASSWORD_HINT } from "../parts/password.js";

/** The first sign-in, or one after a password was forgotten: by a link, which works once. */
export function SignInLink({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  const send = async (values: FormData) => {
    await followLink(token, textOf(values, "password"));
    await onDone();
  };
  return (
    <Entrance title="Set a password">
      <p>The link that you followed signs you in once. Choose the password for the next times.</p>
      <Form submit="Set password and sign in" onSubmit={send} check={checkNewPassword}>
        <Field
          label="New password"
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
