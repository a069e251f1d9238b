import { useEffect, useState } from "preact/hooks";
import { readFactors } from "../../gateway/factors/own-factors.js";
import { usePasskey } from "../../gateway/factors/passkeys.js";
import { type Proof, reauthenticate, signOut, startReauthentication } from "../../gateway/session.js";
import { useAnswer } from "../../gateway/use-query.js";
import { Button } from "../../parts/button.js";
import { Dialogs } from "../../parts/forms/dialogs.js";
import { ProofForm } from "../../parts/sign-in/proof-form.js";
import { hasFactor, proofMethodsOf } from "../../parts/sign-in/proof-methods.js";
import { Loaded } from "../../parts/states.js";
import { AuthenticatorApp } from "../settings/security/authenticator-app.js";
import { Passkeys } from "../settings/security/passkeys.js";
import { EntrancePage } from "./entrance.js";

interface AddRequiredFactorProps {
  /** Called once the user has confirmed a second factor, or continues after adding one. */
  readonly onDone: () => Promise<void>;
}

/** Asks a signed-in user for the second factor that the organization requires, or to add one. */
export function AddRequiredFactor({ onDone }: AddRequiredFactorProps) {
  const answer = useAnswer(readFactors, "factors");
  const confirm = async (proof: Proof) => {
    await reauthenticate(proof);
    await onDone();
  };
  const [wasMissing, setWasMissing] = useState(false);
  const isMissing = answer.data !== undefined && !hasFactor(answer.data);
  useEffect(() => {
    if (isMissing) setWasMissing(true);
  }, [isMissing]);
  return (
    <EntrancePage
      title="Second factor required"
      intro="Your organization requires a second factor. Add or enter one to continue."
    >
      <Dialogs onClosed={answer.reload}>
        <Loaded answer={answer} skeleton="short">
          {(factors) =>
            !hasFactor(factors) ? (
              <div class="column">
                <AuthenticatorApp totp={null} />
                <Passkeys passkeys={[]} />
              </div>
            ) : wasMissing ? (
              // The user need not enter a factor that they have just added. The page stays until they continue,
              // so that they can save the recovery codes.
              <Button label="Continue" look="primary" onClick={onDone} />
            ) : (
              <ProofForm
                methods={proofMethodsOf(factors)}
                submit="Confirm"
                onProof={confirm}
                askPasskey={async () => usePasskey(await startReauthentication())}
              />
            )
          }
        </Loaded>
      </Dialogs>
      <Button label="Sign out" look="quiet" onClick={signOut} />
    </EntrancePage>
  );
}
