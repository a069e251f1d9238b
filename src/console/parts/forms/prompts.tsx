import { useEffect } from "preact/hooks";
import { readFactors } from "../../gateway/factors/own-factors.js";
import { usePasskey } from "../../gateway/factors/passkeys.js";
import { findProviderUrl, listenForProofs, openProvider } from "../../gateway/factors/provider-proof.js";
import { delay, openPrompt, type Prompt } from "../../gateway/interruptions.js";
import { type Proof, reauthenticate, type SignedIn, startReauthentication } from "../../gateway/session.js";
import { useStore } from "../../gateway/store.js";
import { useAnswer } from "../../gateway/use-query.js";
import { readViewer, type Viewer } from "../../gateway/viewer.js";
import { Button } from "../button.js";
import { ProofForm } from "../sign-in/proof-form.js";
import { hasFactor, proofMethodsOf } from "../sign-in/proof-methods.js";
import { SignInForm } from "../sign-in/sign-in-form.js";
import { Loaded, useAttempt } from "../states.js";
import { Dialog } from "./dialog.js";
import { reloadAtOnce } from "./use-leaving.js";

interface PromptsProps {
  /** The user whose data the page shows; null for none. */
  readonly viewer: Viewer | null;
}

/**
 * Asks for the sign-in or proof that requests are waiting for. The page keeps its typed values, unless another user
 * signs in.
 */
export function Prompts({ viewer }: PromptsProps) {
  const open = useStore(openPrompt);
  if (open === null) return null;
  if (open.needs !== "sign-in") return <Reauthentication {...open} viewer={viewer} />;
  const enter = async (signedIn: SignedIn) => {
    // The page contains data of another user.
    if (signedIn.user.id !== viewer?.user.id) reloadAtOnce();
    else open.answered();
  };
  return (
    <Dialog title="Your session has ended">
      <p>Sign in to continue where you left off.</p>
      <SignInForm email={viewer?.user.email ?? ""} onDone={enter} />
    </Dialog>
  );
}

const PROVIDER_DOES_NOT_COUNT =
  "You signed in with one organization's identity provider. That doesn't count here.";

/** Asks for the second factor, the password if the user has no second factor, or a new single sign-on. */
function Reauthentication({ needs, answered, declined, viewer }: Prompt & PromptsProps) {
  // Bypasses `run`, which could ask for a sign-in that would wait for this prompt.
  const answer = useAnswer(
    async (signal) => ({
      factors: await readFactors(signal),
      provider: needs === "proof" ? await findProviderUrl(signal) : null,
    }),
    needs,
  );
  const confirm = async (proof: Proof) => {
    await reauthenticate(proof);
    answered();
  };
  return (
    <Dialog title="Confirm it's you" onClose={declined}>
      <Loaded answer={answer} skeleton="line">
        {({ factors, provider }) => {
          const methods = proofMethodsOf(factors);
          if ((needs === "factor" && !hasFactor(factors)) || (methods.length === 0 && provider === null))
            return <MissingFactor needs={needs} onCancel={declined} />;
          return (
            <>
              {needs === "own-proof" && <p>{PROVIDER_DOES_NOT_COUNT}</p>}
              {methods.length > 0 && (
                <>
                  <p>
                    {hasFactor(factors)
                      ? "Enter your second factor to continue. We won't ask again for 10 minutes."
                      : "Enter your password to continue. We won't ask again for 10 minutes."}
                  </p>
                  <ProofForm
                    methods={methods}
                    submit="Confirm"
                    onProof={confirm}
                    askPasskey={async () => usePasskey(await startReauthentication())}
                    onCancel={declined}
                  />
                </>
              )}
              {provider !== null && (
                <ProviderProof
                  url={provider}
                  viewer={viewer}
                  onDone={answered}
                  {...(methods.length === 0 && { onCancel: declined })}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

interface ProviderProofProps extends PromptsProps {
  readonly url: string;
  readonly onDone: () => void;
  /** Set if the user has no other method. */
  readonly onCancel?: () => void;
}

/** Asks the user to sign in again with the organization's provider, in another window. */
function ProviderProof({ url, viewer, onDone, onCancel }: ProviderProofProps) {
  const { attempt, complaint } = useAttempt();
  const finish = () =>
    attempt(async () => {
      const current = await readViewer();
      const isSame =
        current?.user.id === viewer?.user.id && current?.organization.id === viewer?.organization.id;
      // The page contains data of another user or organization.
      if (isSame) onDone();
      else reloadAtOnce();
    });
  useEffect(() => listenForProofs(finish), []);
  return (
    <>
      {onCancel && (
        <p>Sign in again with your organization's provider to continue. We won't ask again for 10 minutes.</p>
      )}
      {complaint}
      <div class={onCancel ? "buttons" : "other-methods"}>
        {onCancel && <Button label="Cancel" look="secondary outline" onClick={onCancel} />}
        <Button
          label="Continue with your organization"
          look={onCancel ? "primary" : "quiet"}
          onClick={() => openProvider(url)}
        />
      </div>
    </>
  );
}

const MissingFactor = ({ needs, onCancel }: Pick<Prompt, "needs"> & { readonly onCancel: () => void }) => (
  <>
    <p>
      {needs === "own-proof" && `${PROVIDER_DOES_NOT_COUNT} `}
      You need a second factor for this. Add an authenticator app or a passkey first.
    </p>
    <div class="buttons">
      <Button label="Cancel" look="secondary outline" onClick={onCancel} />
      <Button
        label="Add second factor"
        look="primary"
        onClick={() => location.assign("/console/settings/security")}
      />
    </div>
  </>
);

/** Shows why requests are waiting, while they are. */
export function DelayBanner() {
  const why = useStore(delay);
  return (
    <div role="status" class={why === null ? "" : "delay"}>
      {why}
    </div>
  );
}
