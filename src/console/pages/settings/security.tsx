import { readFactors } from "../../gateway/factors/own-factors.js";
import { useAnswer } from "../../gateway/use-query.js";
import { refreshViewer } from "../../gateway/viewer.js";
import { Dialogs } from "../../parts/forms/dialogs.js";
import { Loaded } from "../../parts/states.js";
import { AuthenticatorApp } from "./security/authenticator-app.js";
import { ChangeAddress, Password } from "./security/credentials.js";
import { Identities } from "./security/identities.js";
import { Passkeys } from "./security/passkeys.js";
import { RecoveryCodes } from "./security/recovery-codes.js";
import { Sessions } from "./sessions.js";

/** The user's e-mail address, password, second factors and sessions. */
export function Security() {
  const answer = useAnswer(readFactors, "factors");
  const reload = () => {
    // The banner depends on the factors.
    refreshViewer();
    return answer.reload();
  };
  return (
    <>
      <Dialogs onClosed={reload}>
        <Loaded answer={answer} skeleton="figure">
          {(factors) => (
            <div class="cards">
              <div class="column">
                <AuthenticatorApp totp={factors.totp} />
                <Passkeys passkeys={factors.passkeys} />
                <RecoveryCodes factors={factors} />
              </div>
              <div class="column">
                <Password factors={factors} />
                <ChangeAddress />
                <Identities />
              </div>
            </div>
          )}
        </Loaded>
      </Dialogs>
      <section>
        <h2>Sessions</h2>
        <Sessions />
      </section>
    </>
  );
}
