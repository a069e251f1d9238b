import { useState } from "preact/hooks";
import { requestReset } from "../../gateway/session.js";
import { Field } from "../../parts/fields/field.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

/** Requests a link for a new password. Shows the same message whether or not the address has an account. */
export function ForgotPassword() {
  const [email, setEmail] = useState<string | null>(null);
  return (
    <Entrance
      title="Forgot your password?"
      submit="Send link"
      enter={async (values) => {
        await requestReset(textOf(values, "email"));
        setEmail(textOf(values, "email"));
      }}
      onDone={async () => undefined}
      intro="We'll e-mail you a link to choose a new password."
      more={
        <>
          {email !== null && (
            <p role="status">
              If <bdi>{email}</bdi> has an account, a link is on its way. It works for 30 minutes.
            </p>
          )}
          <p>
            <a href="/console/">Back to sign in</a>
          </p>
        </>
      }
    >
      <Field label="E-mail" name="email" type="email" autocomplete="username" required />
    </Entrance>
  );
}
