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
      <p>
        <a href="/console/forgot-password">Forgot your password?</a>
      </p>
      <details>
        <summary>No account?</summary>
        <p>An owner of your organization can invite you.</p>
      </details>
    </>
  );
}
