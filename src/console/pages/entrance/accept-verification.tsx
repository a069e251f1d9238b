import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useViewer } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { Entrance } from "./entrance.js";

const OPERATION = graphql(`
  mutation ConsoleAcceptVerification($token: String!) {
    acceptVerification(input: { token: $token }) { organizationName }
  }
`);

/** Accepts a verification request from a link, as the signed-in user. */
export function AcceptVerification({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  const { user, organization } = useViewer();
  const { route } = useLocation();
  const [accepted, setAccepted] = useState<string | null>(null);
  const leave = async () => {
    route("/console/verification/assigned", true);
    await onDone();
  };
  if (accepted !== null) {
    return (
      <main class="container entrance">
        <p class="quiet">Carbon Gateway</p>
        <h1>Request accepted</h1>
        <p>
          <bdi>{accepted}</bdi> must now confirm you as its verifier. We'll notify you when it does. You'll
          then find the request under Verification.
        </p>
        <Button label="Continue" look="primary" onClick={leave} />
      </main>
    );
  }
  return (
    <Entrance
      title="Accept a verification request"
      submit="Accept"
      enter={async () =>
        setAccepted((await run(OPERATION, { token })).acceptVerification?.organizationName ?? "")
      }
      onDone={async () => undefined}
      intro="An organization asks you to verify its emissions. If you accept, it will see your name, e-mail address and organization. You can read its records once it confirms you."
      more={<Button label="Not now" look="quiet" onClick={leave} />}
    >
      <p>
        You are signed in as <bdi>{user.name}</bdi> ({user.email}) of <bdi>{organization.name}</bdi>.
      </p>
    </Entrance>
  );
}
