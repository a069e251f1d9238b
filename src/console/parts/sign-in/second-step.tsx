import { usePasskey } from "../../gateway/factors/passkeys.js";
import { completeSignIn, type Proof, type SignedIn, type SignInChallenge } from "../../gateway/session.js";
import { Button } from "../button.js";
import { ProofForm } from "./proof-form.js";

interface SecondStepProps {
  readonly challenge: SignInChallenge;
  readonly onDone: (signedIn: SignedIn) => Promise<void>;
  /** Returns to the first step. */
  readonly onRestart: () => void;
}

/** The second step of a sign-in: the account's second factor. */
export function SecondStep({ challenge, onDone, onRestart }: SecondStepProps) {
  const { token, methods, passkey } = challenge;
  const askPasskey = () => {
    if (passkey === null)
      throw new Error("Passkeys aren't available for this sign-in. Choose another method.");
    return usePasskey({ options: passkey, challenge: token });
  };
  return (
    <>
      <p>Confirm with your second factor within 5 minutes.</p>
      <ProofForm
        methods={methods}
        submit="Sign in"
        askPasskey={askPasskey}
        onProof={async (proof: Proof) => onDone(await completeSignIn(token, proof))}
      />
      <div class="other-methods">
        <Button label="Start over" look="quiet" onClick={onRestart} />
      </div>
    </>
  );
}
