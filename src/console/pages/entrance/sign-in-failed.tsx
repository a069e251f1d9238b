import { useState } from "preact/hooks";
import { REASON_COOKIE, sentenceOf } from "../../../domain/sso/sso-refusals.js";
import { Button } from "../../parts/button.js";
import { Copyable } from "../../parts/forms/once.js";
import { EntrancePage } from "./entrance.js";

interface SignInFailedProps {
  readonly requestId: string;
  readonly onLeave: () => Promise<void>;
}

/** Says why the organization's provider signed nobody in, and what to tell the administrator. */
export function SignInFailed({ requestId, onLeave }: SignInFailedProps) {
  const [sentence] = useState(findSentence);
  return (
    <EntrancePage title="Sign-in failed" intro={sentence}>
      <p>If it fails again, send your administrator this ID. The reason is recorded under it.</p>
      <Copyable label="Request ID" value={requestId} />
      <Button label="Back to sign in" look="primary" onClick={onLeave} />
    </EntrancePage>
  );
}

/** Returns the sentence of the reason that the gateway left in a cookie, for a minute. */
function findSentence(): string {
  const pairs = document.cookie.split("; ");
  const reason = pairs.find((pair) => pair.startsWith(`${REASON_COOKIE}=`))?.slice(REASON_COOKIE.length + 1);
  return sentenceOf(reason ?? "") ?? "Your organization's sign-in did not work.";
}
