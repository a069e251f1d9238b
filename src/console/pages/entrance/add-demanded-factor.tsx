import { useEffect, useState } from "preact/hooks";
import { readFactors } from "../../gateway/factors/own-factors.js";
import { usePasskey } from "../../gateway/factors/passkeys.js";
import { type Proof, reauthenticate, signOut, startReauthentication } from "../../gateway/session.js";
import { useAnswer } from "../../gateway/use-query.js";
import { Button } from "../../parts/button.js";
import { Dialogs } from "../../parts/forms/dialogs.js";
import { GiveFactor } from "../../parts/sign-in/give-factor.js";
import { hasFactor, waysOf } from "../../parts/sign-in/ways.js";
import { ShownData } from "../../parts/states.js";
import { AuthenticatorApp } from "../settings/security/authenticator-app.js";
import { Passkeys } from "../settings/security/passkeys.js";
import { EntrancePage } from "./entrance.js";

interface AddDemandedFactorProps {
  /** Reads the user again, who may continue with a second factor. */
  readonly onDone: () => Promise<void>;
}

/** Has a signed-in user add or give the second factor without which the organization's data are closed. */
export function AddDemandedFactor({ onDone }: AddDemandedFactorProps) {
  const answer = useAnswer(readFactors, "factors");
  const give = async (proof: Proof) => {
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
      intro="Your organization asks its members for a second factor. Its data are closed to you until you have one."
    >
      <Dialogs onClosed={answer.reload}>
        <ShownData answer={answer} as="short">
          {(factors) =>
            !hasFactor(factors) ? (
              <div class="column">
                <AuthenticatorApp totp={null} />
                <Passkeys passkeys={[]} />
              </div>
            ) : wasMissing ? (
              // Adding a factor also gives it. The page stays until the recovery codes are kept.
              <Button label="Continue" look="primary" onClick={onDone} />
            ) : (
              <GiveFactor
                ways={waysOf(factors)}
                submit="Confirm"
                onGive={give}
                askPasskey={async () => usePasskey(await startReauthentication())}
              />
            )
          }
        </ShownData>
      </Dialogs>
      <Button label="Sign out" look="quiet" onClick={signOut} />
    </EntrancePage>
  );
}
