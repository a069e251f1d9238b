import { isRegistrationOpen, signIn } from "../gateway/session.js";
import { Entrance } from "../parts/entrance.js";
import { SignInFields } from "../parts/fields/sign-in-fields.js";
import { textOf } from "../parts/forms/form.js";

/** Signs in with a password; whoever comes to a page is on that page afterwards. */
export function SignIn({ onDone }: { onDone: () => Promise<void> }) {
  return (
    <Entrance
      title="Sign in"
      submit="Sign in"
      enter={(values) => signIn(textOf(values, "email"), textOf(values, "password"))}
      onDone={onDone}
      more={<Help />}
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
        <summary>No account, or no password?</summary>
        <p>
          An owner of your organization invites you in Settings, under Members. Whoever runs the gateway can
          make a link for an account that exists: <code>gateway users sign-in-link your@e-mail</code>
        </p>
      </details>
    </>
  );
}
