import { useViewer } from "../../gateway/viewer.js";
import { Moment } from "../moment.js";

/** Asks users without a second factor to add one, if they are required to. */
export function FactorBanner() {
  const { requiredFrom, totpConfirmedAt, passkeys } = useViewer().factors;
  if (requiredFrom === null || totpConfirmedAt !== null || passkeys.length > 0) return null;
  return (
    <section class="announcement warning" aria-label="Add second factor">
      <div>
        <p>
          <strong>Add a second factor</strong>
        </p>
        <p>
          You need one {Date.parse(requiredFrom) > Date.now() ? "from" : "since"} <Moment at={requiredFrom} />
          . <a href="/console/settings/security">Add an authenticator app or a passkey</a>
        </p>
      </div>
    </section>
  );
}
