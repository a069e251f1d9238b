import { useState } from "preact/hooks";
import { REASON_COOKIE, sentenceOf } from "../../../domain/sso/sso-refusals.js";
import { Button } from "../../parts/button.js";
import { Copyable } from "../../parts/forms/secret-dialog.js";
import { EntrancePage } from "./entrance.js";

interface SignInFailedProps {
  readonly requestId: string;
  readonly onLeave: () => Promise<void>;
}

/** Explains why single sign-on failed, with the request id for the administrator. */
export function SignInFailed({ requestId, onLeave }: SignInFailedProps) {
  const [sentence] = useState(findSentence);
  return (
    <EntrancePage title="Sign-in failed" intro={sentence}>
      <p>If it fails again, send this ID to your administrator, who can look up the reason.</p>
      <Copyable label="Request ID" value={requestId} />
      <Button label="Back to sign in" look="primary" onClick={onLeave} />
    </EntrancePage>
  );
}

/** Returns the message for the reason, which the gateway leaves in a cookie for a minute; otherwise a general one. */
function findSentence(): string {
  const pairs = document.cookie.split("; ");
  const reason = pairs.find((pair) => pair.startsWith(`${REASON_COOKIE}=`))?.slice(REASON_COOKIE.length + 1);
  return sentenceOf(reason ?? "") ?? "Signing in with your organization did not work. Try again.";
}
