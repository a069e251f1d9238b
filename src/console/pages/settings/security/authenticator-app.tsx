import {
  confirmTotp,
  createTotp,
  type Factors,
  type NewTotp,
  removeTotp,
} from "../../../gateway/factors/own-factors.js";
import { Button } from "../../../parts/button.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton, useDialog } from "../../../parts/forms/dialogs.js";
import { Copyable } from "../../../parts/forms/secret-dialog.js";
import { textOf } from "../../../parts/forms/values.js";
import { Moment } from "../../../parts/moment.js";
import { useAttempt } from "../../../parts/states.js";
import { showCodes } from "./recovery-codes.js";

/** The user's authenticator app. */
export function AuthenticatorApp({ totp }: Pick<Factors, "totp">) {
  const { open } = useDialog();
  const { attempt, complaint } = useAttempt();
  const add = () => attempt(async () => open(<AddApp totp={await createTotp()} />));
  return (
    <section class="card">
      <h2>Authenticator app</h2>
      {totp === null ? (
        <>
          <p>
            An app on your phone shows a code that changes every 30 seconds. Enter the code when you sign in.
          </p>
          {complaint}
          <Button label="Add authenticator app" aria-haspopup="dialog" onClick={add} />
        </>
      ) : (
        <>
          <p>
            Added <Moment at={totp.confirmed_at} />
          </p>
          <DialogButton label="Remove authenticator app" look="quiet" opens={<RemoveApp />} />
        </>
      )}
    </section>
  );
}

function AddApp({ totp: { secret, qr_svg: qrSvg } }: { totp: NewTotp }) {
  const confirm = async (values: FormData) =>
    showCodes(await confirmTotp(textOf(values, "code").replaceAll(/\s/g, "")));
  return (
    <Confirm
      title="Add authenticator app"
      action="Confirm"
      onConfirm={confirm}
      successMessage="Authenticator app added."
    >
      <p>Scan the QR code with your app, or enter the key in it.</p>
      <img
        class="qr-code"
        src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
        alt="QR code with the key"
      />
      <Copyable label="Key" value={secret} />
      <Field
        label="Code"
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        hint="The six digits that the app shows now"
        required
      />
    </Confirm>
  );
}

const RemoveApp = () => (
  <Confirm
    title="Remove your authenticator app?"
    action="Remove"
    onConfirm={removeTotp}
    successMessage="Authenticator app removed."
  >
    <p>
      Its codes will stop working. If you have no other second factor, your recovery codes stop working too.
    </p>
  </Confirm>
);
