import { type Factors, renewRecoveryCodes } from "../../../gateway/factors/own-factors.js";
import { Button } from "../../../parts/button.js";
import { download } from "../../../parts/csv.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { DialogButton, useDialog } from "../../../parts/forms/dialogs.js";
import { Copyable } from "../../../parts/forms/secret-dialog.js";
import { hasFactor } from "../../../parts/sign-in/proof-methods.js";

/** The number of unused recovery codes, and a button that replaces them. */
export const RecoveryCodes = ({ factors }: { factors: Factors }) => (
  <section class="card">
    <h2>Recovery codes</h2>
    {hasFactor(factors) ? (
      <>
        <p>
          {factors.recovery_codes_left} of 10 left. If you lose your second factor, use a recovery code
          instead. Each works once.
        </p>
        <DialogButton label="Create new codes" opens={<RenewCodes />} />
      </>
    ) : (
      <p>You get 10 recovery codes with your first authenticator app or passkey, in case you lose it.</p>
    )}
  </section>
);

const RenewCodes = () => (
  <Confirm
    title="Create new recovery codes?"
    action="Create"
    onConfirm={async () => showCodes(await renewRecoveryCodes())}
  >
    <p>Your current codes will stop working.</p>
  </Confirm>
);

/** Returns the dialog with new codes; null without new codes. */
export const showCodes = ({ recovery_codes: codes }: { readonly recovery_codes: readonly string[] | null }) =>
  codes && <NewCodes codes={codes} />;

/** Dialog with new recovery codes, to copy or download. Stays open until the user closes it. */
function NewCodes({ codes }: { codes: readonly string[] }) {
  const { close } = useDialog();
  const text = codes.join("\n");
  const save = () =>
    download("carbon-gateway-recovery-codes.txt", new Blob([`${text}\n`], { type: "text/plain" }));
  return (
    <Dialog title="Your recovery codes">
      <p>
        Keep them in a safe place, not on your phone. Each works once. You won't be able to see them again.
      </p>
      <Copyable label="Recovery codes" value={text} isCommand />
      <div class="buttons">
        <Button label="Download" onClick={save} />
        <Button label="Done" look="primary" onClick={() => close()} />
      </div>
    </Dialog>
  );
}
