import { useRef } from "preact/hooks";
import { finishReset, type PasswordReset } from "../../gateway/session.js";
import { checkNewPassword, NewPassword as PasswordField } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { writeTime } from "../../parts/moment.js";
import { RemoveAdded } from "../../parts/sign-in/additions.js";
import { Entrance } from "./entrance.js";
import { OpenedLink } from "./opened-link.js";

interface NewPasswordProps {
  readonly token: string;
  readonly onDone: (text: string) => Promise<void>;
  readonly onLeave: () => Promise<void>;
}

/** Sets a new password with the token from a link. Does not sign in. */
export function NewPassword({ token, onDone, onLeave }: NewPasswordProps) {
  const result = useRef<PasswordReset>();
  return (
    <OpenedLink token={token} onLeave={onLeave}>
      {({ additions, to_review: left, password_delay_hours: hours, password_link_at: heldUntil }) => (
        <Entrance
          title="Choose a new password"
          submit="Set password"
          enter={async (values) => {
            const removesAdded = values.has("remove_added");
            result.current = await finishReset(token, textOf(values, "password"), removesAdded);
          }}
          check={checkNewPassword}
          onDone={() => onDone(describe(result.current))}
          intro="This signs you out everywhere. Then sign in with your new password."
        >
          {heldUntil !== null && (
            <p>
              A link from an e-mail removed your last second factor. Until {writeTime(heldUntil)}, this only
              removes your password and ends all sessions. A new link follows then.
            </p>
          )}
          <PasswordField label="New password" />
          <RemoveAdded additions={additions} left={left} delayHours={hours} />
        </Entrance>
      )}
    </OpenedLink>
  );
}

function describe({ removed = [], password_link_at: at = null }: Partial<PasswordReset> = {}): string {
  const gone = removed.length > 0 ? "What was added in the last 7 days is removed. " : "";
  return at === null
    ? `${gone}Your password is set. Sign in with it from now on.`
    : `${gone}All sessions have ended, and nobody can sign in with a password. We send you a link for a new password on ${writeTime(at)}.`;
}
