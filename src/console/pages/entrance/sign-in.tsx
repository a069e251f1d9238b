import { isRegistrationOpen, signIn } from "../../gateway/session.js";
import { SignInFields } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

interface SignInProps {
  readonly onDone: () => Promise<void>;
  /** Text above the form. */
  readonly intro?: string | undefined;
}

/** Signs in with a password, on any page. */
export function SignIn({ onDone, intro }: SignInProps) {
  return (
    <Entrance
      title="Sign in"
      submit="Sign in"
      enter={(values) => signIn(textOf(values, "email"), textOf(values, "password"))}
      onDone={onDone}
      more={<Help />}
      intro={intro}
    >
      <SignInFields />
    </Entrance>
  );
}

function Help() {
  return (
    <>
      {isRegistrationOpen() && (
        <p>
          New here? <a href="/console/register">Register</a>
        </p>
      )}
      <details>
        <summary>No account, or forgot your password?</summary>
        <p>
          An owner of your organization can invite you. If you forgot your password, ask whoever runs this
          gateway for a sign-in link.
        </p>
      </details>
    </>
  );
}
