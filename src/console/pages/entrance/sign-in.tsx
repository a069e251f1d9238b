import { isRegistrationOpen } from "../../gateway/session.js";
import { SignInForm } from "../../parts/sign-in/sign-in-form.js";
import { EntrancePage } from "./entrance.js";

interface SignInProps {
  readonly onDone: () => Promise<void>;
  /** Text above the form. */
  readonly intro?: string | undefined;
}

/** The sign-in page, shown at any address except those for a forgotten password and for open registration. */
export const SignIn = ({ onDone, intro }: SignInProps) => (
  <EntrancePage title="Sign in" intro={intro}>
    <SignInForm onDone={onDone}>
      <Help />
    </SignInForm>
  </EntrancePage>
);

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
        <p>An owner or admin of your organization can invite you.</p>
      </details>
    </>
  );
}
