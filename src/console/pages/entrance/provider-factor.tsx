import { readChallenge } from "../../gateway/session.js";
import { useAnswer } from "../../gateway/use-query.js";
import { Button } from "../../parts/button.js";
import { SecondStep } from "../../parts/sign-in/second-step.js";
import { Loaded } from "../../parts/states.js";
import { EntrancePage } from "./entrance.js";

/** The second step of single sign-on, if the organization requires the gateway's own second factor. */
export function ProviderFactor({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  const answer = useAnswer(() => readChallenge(token), token);
  return (
    <EntrancePage title="Sign in">
      <Loaded answer={answer} skeleton="short">
        {({ challenge }) => <SecondStep challenge={challenge} onDone={onDone} onRestart={onDone} />}
      </Loaded>
      {answer.error !== undefined && <Button label="Sign in" look="primary" onClick={onDone} />}
    </EntrancePage>
  );
}
