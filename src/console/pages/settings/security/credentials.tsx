import { type Factors, removePassword } from "../../../gateway/factors/own-factors.js";
import { sendWithPrompts } from "../../../gateway/run.js";
import { changeAddress, changePassword } from "../../../gateway/session.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Field } from "../../../parts/fields/field.js";
import { checkNewPassword, NewPassword } from "../../../parts/fields/passwords.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Form } from "../../../parts/forms/form.js";
import { need, textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";

/** Form that changes the user's sign-in address. */
export function ChangeAddress() {
  const { user } = useViewer();
  const change = async (values: FormData) => {
    const email = textOf(values, "email");
    await sendWithPrompts(() => changeAddress(email));
    showMessage({ text: `We sent a link to ${email}. Open it to confirm the address.` });
  };
  return (
    <section class="card">
      <h2>E-mail address</h2>
      <p>
        You sign in with <bdi>{user.email}</bdi>. A new address replaces it once you confirm it.
      </p>
      <Form submit="Change address" onSubmit={change}>
        <Field label="New e-mail address" name="email" type="email" autocomplete="email" required />
      </Form>
    </section>
  );
}

/** Changes or removes the user's password. */
export const Password = ({ factors }: { factors: Factors }) => (
  <section class="card">
    <h2>Password</h2>
    {factors.has_password ? (
      <>
        <ChangePassword />
        {factors.passkeys.length > 0 && (
          <DialogButton label="Remove password" look="quiet" opens={<RemovePassword />} />
        )}
      </>
    ) : (
      <p>
        You have no password. To set one, sign out and choose “Forgot your password?” on the sign-in page.
      </p>
    )}
  </section>
);

function ChangePassword() {
  const change = async (values: FormData) => {
    await sendWithPrompts(() => changePassword(textOf(values, "current"), textOf(values, "password")));
    showMessage({ text: "Password changed. Your other sessions are signed out." });
  };
  const check = (values: FormData) => [
    ...need("current", textOf(values, "current") !== "", "Enter your current password."),
    ...checkNewPassword(values),
  ];
  return (
    <>
      <p>Changing your password signs out all other sessions.</p>
      <Form submit="Change password" onSubmit={change} check={check}>
        <Field label="Current password" name="current" type="password" autocomplete="current-password" />
        <NewPassword label="New password" />
      </Form>
    </>
  );
}

const RemovePassword = () => (
  <Confirm
    title="Remove your password?"
    action="Remove"
    onConfirm={removePassword}
    successMessage="Password removed. Your other sessions are signed out."
  >
    <p>
      You'll sign in with a passkey only. You need two passkeys with PIN or biometrics, or one and recovery
      codes.
    </p>
  </Confirm>
);
