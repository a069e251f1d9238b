import { readFactors } from "../../gateway/factors/own-factors.js";
import { usePasskey } from "../../gateway/factors/passkeys.js";
import { delay, type Question, question } from "../../gateway/interruptions.js";
import { type Proof, reauthenticate, type SignedIn, startReauthentication } from "../../gateway/session.js";
import { useStore } from "../../gateway/store.js";
import { useAnswer } from "../../gateway/use-query.js";
import type { Viewer } from "../../gateway/viewer.js";
import { Button } from "../button.js";
import { GiveFactor } from "../sign-in/give-factor.js";
import { SignInForm } from "../sign-in/sign-in-form.js";
import { hasFactor, waysOf } from "../sign-in/ways.js";
import { ShownData } from "../states.js";
import { Dialog } from "./dialog.js";

interface QuestionsProps {
  /** The user whose data the page has; null for none. */
  readonly user: Viewer["user"] | null;
}

/** Asks for the sign-in or proof that requests wait for. The page below keeps the typed values. */
export function Questions({ user }: QuestionsProps) {
  const open = useStore(question);
  if (open === null) return null;
  if (open.asks !== "sign-in") return <Reauthentication {...open} />;
  const enter = async (signedIn: SignedIn) => {
    // The page contains data of another user.
    if (signedIn.user.id !== user?.id) location.reload();
    else open.answered();
  };
  return (
    <Dialog title="Your session has ended">
      <p>Sign in to go on where you were.</p>
      <SignInForm email={user?.email ?? ""} onDone={enter} />
    </Dialog>
  );
}

/** Asks for the second factor, or the password of a user who has none. */
function Reauthentication({ asks, answered, declined }: Question) {
  // Not patiently: that could ask for a sign-in, which would wait for this question.
  const answer = useAnswer(readFactors, "factors");
  const confirm = async (proof: Proof) => {
    await reauthenticate(proof);
    answered();
  };
  return (
    <Dialog title="Confirm that it is you" onClose={declined}>
      <ShownData answer={answer} as="line">
        {(factors) =>
          asks === "factor" && !hasFactor(factors) ? (
            <MissingFactor onCancel={declined} />
          ) : (
            <>
              <p>
                {hasFactor(factors)
                  ? "This needs your second factor, given within the last 10 minutes."
                  : "You gave your password more than 10 minutes ago, and this needs it again."}
              </p>
              <GiveFactor
                ways={waysOf(factors)}
                submit="Confirm"
                onGive={confirm}
                askPasskey={async () => usePasskey(await startReauthentication())}
                onCancel={declined}
              />
            </>
          )
        }
      </ShownData>
    </Dialog>
  );
}

const MissingFactor = ({ onCancel }: { onCancel: () => void }) => (
  <>
    <p>This needs a second factor, and you have none. Add an authenticator app or a passkey first.</p>
    <div class="buttons">
      <Button label="Cancel" look="secondary outline" onClick={onCancel} />
      <Button
        label="Add a second factor"
        look="primary"
        onClick={() => location.assign("/console/settings/security")}
      />
    </div>
  </>
);

/** Shows the reason why requests wait, as long as they do. */
export function DelayBanner() {
  const why = useStore(delay);
  return (
    <div role="status" class={why === null ? "" : "away"}>
      {why}
    </div>
  );
}
