import { type Factors, renewRecoveryCodes } from "../../../gateway/factors/own-factors.js";
import { Button } from "../../../parts/button.js";
import { download } from "../../../parts/csv.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { DialogButton, useDialog } from "../../../parts/forms/dialogs.js";
import { Copyable } from "../../../parts/forms/once.js";
import { hasFactor } from "../../../parts/sign-in/ways.js";

/** The number of recovery codes that are left, and a button that replaces them. */
export const RecoveryCodes = ({ factors }: { factors: Factors }) => (
  <section class="card">
    <h2>Recovery codes</h2>
    {hasFactor(factors) ? (
      <>
        <p>
          {factors.recovery_codes_left} of 10 left. Each stands for your second factor once, for when you lose
          it.
        </p>
        <DialogButton label="Create new codes" opens={<RenewCodes />} />
      </>
    ) : (
      <p>You get ten with your first authenticator app or passkey, for when you lose it.</p>
    )}
  </section>
);

const RenewCodes = () => (
  <Confirm
    title="Create new recovery codes"
    action="Create"
    onConfirm={async () => showCodes(await renewRecoveryCodes())}
  >
    <p>The codes that you have now stop working.</p>
  </Confirm>
);

/** Returns the dialog with new codes; null if an answer has none. */
export const showCodes = ({ recovery_codes: codes }: { readonly recovery_codes: readonly string[] | null }) =>
  codes && <NewCodes codes={codes} />;

/** New recovery codes, to copy or save. Stays open until the user closes it. */
function NewCodes({ codes }: { codes: readonly string[] }) {
  const { close } = useDialog();
  const text = codes.join("\n");
  const save = () =>
    download("carbon-gateway-recovery-codes.txt", new Blob([`${text}\n`], { type: "text/plain" }));
  return (
    <Dialog title="Your recovery codes">
      <p>
        Keep them in a safe place, apart from your phone. Each works once. You won't be able to see them
        again.
      </p>
      <Copyable label="Recovery codes" value={text} isCommand />
      <div class="buttons">
        <Button label="Download" onClick={save} />
        <Button label="Done" look="primary" onClick={() => close()} />
      </div>
    </Dialog>
  );
}
