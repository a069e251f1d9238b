import { useState } from "preact/hooks";
import { type Disowned, disown } from "../../gateway/session.js";
import { writeTime } from "../../parts/moment.js";
import { AdditionList } from "../../parts/sign-in/additions.js";
import { Entrance } from "./entrance.js";
import { OpenedLink } from "./opened-link.js";
import { Removed } from "./removed.js";

/** Removes what an e-mail reported as added to the account, with the link in that e-mail. */
export function DisownAddition({ token, onLeave }: { token: string; onLeave: () => Promise<void> }) {
  const [done, setDone] = useState<Disowned>();
  if (done !== undefined) {
    const { password_link_at: at, password_removed: isPasswordRemoved } = done;
    const password = isPasswordRemoved
      ? "Your password was removed, because it was set recently."
      : "Sign in and change your password if someone else may know it.";
    const next = at === null ? "" : ` We send you a link for a new password on ${writeTime(at)}.`;
    const intro = `All sessions have ended. ${password}${next}`;
    return <Removed title="Removed" intro={intro} removed={done.removed} onLeave={onLeave} />;
  }
  return (
    <OpenedLink token={token} onLeave={onLeave}>
      {({ additions, password_delay_hours: hours }) => (
        <Entrance
          title="Remove what was added"
          submit="Remove it and sign out everywhere"
          enter={async () => setDone(await disown(token))}
          onDone={async () => undefined}
          intro="This was added to your account. If it wasn't you, remove it."
        >
          <AdditionList additions={additions} />
          {hours > 0 && (
            <p>
              It is your last second factor. For {hours} hours after you remove it, no link from an e-mail
              sets a password, so someone who only reads your e-mails cannot sign in. Your password still
              works unless it was set recently.
            </p>
          )}
        </Entrance>
      )}
    </OpenedLink>
  );
}
