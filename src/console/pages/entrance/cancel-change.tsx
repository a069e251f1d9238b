import { useState } from "preact/hooks";
import { type ConfirmedAddress, spendAddressLink } from "../../gateway/session.js";
import { AdditionList, LeftList } from "../../parts/sign-in/additions.js";
import { Entrance } from "./entrance.js";
import { OpenedLink } from "./opened-link.js";
import { Removed } from "./removed.js";

/** Cancels or reverts a change of the account's address, with the link in the notice. */
export function CancelChange({ token, onLeave }: { token: string; onLeave: () => Promise<void> }) {
  const [done, setDone] = useState<ConfirmedAddress>();
  if (done !== undefined)
    return (
      <Removed
        title="The change is cancelled"
        intro="We sent you a link to choose a new password."
        removed={done.removed ?? []}
        left={done.to_review ?? []}
        onLeave={onLeave}
      />
    );
  return (
    <OpenedLink token={token} onLeave={onLeave}>
      {({ email, additions, to_review: left }) => (
        <Entrance
          title="Keep your e-mail address"
          submit="Cancel the change"
          enter={async () => setDone(await spendAddressLink(token))}
          onDone={async () => undefined}
          intro={`Your account will keep the address ${email}. All sessions are signed out, and we e-mail you a link to choose a new password.`}
        >
          {additions.length > 0 && (
            <>
              <p>This also removes what was added to your account from 7 days before the change:</p>
              <AdditionList additions={additions} />
            </>
          )}
          <LeftList left={left} />
        </Entrance>
      )}
    </OpenedLink>
  );
}
