import { followLink } from "../../gateway/session.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { RemoveAdded } from "../../parts/sign-in/additions.js";
import { Entrance } from "./entrance.js";
import { AccountField, OpenedLink } from "./opened-link.js";

/** Signs in with a single-use link from the operator, and sets a password. */
export const SignInLink = ({ token, onDone }: { token: string; onDone: () => Promise<void> }) => (
  <OpenedLink token={token} onLeave={onDone}>
    {({ email, organization, additions, to_review: left, password_delay_hours: hours }) => (
      <Entrance
        title="Set a password"
        submit="Set password and sign in"
        enter={(values) => followLink(token, textOf(values, "password"), values.has("remove_added"))}
        check={checkNewPassword}
        onDone={async () => {
          showMessage({ text: "Your password is set. Sign in with it from now on." });
          await onDone();
        }}
        intro={
          organization === null
            ? "Choose a password for signing in from now on."
            : `Choose a password for signing in to ${organization} from now on.`
        }
      >
        <AccountField email={email} />
        <NewPassword label="New password" />
        <RemoveAdded additions={additions} left={left} delayHours={hours} />
      </Entrance>
    )}
  </OpenedLink>
);
