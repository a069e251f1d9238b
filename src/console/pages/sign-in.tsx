import { signIn } from "../gateway/session.js";
import { Entrance } from "../parts/entrance.js";
import { Form, textOf } from "../parts/form.js";
import { SignInFields } from "../parts/sign-in-fields.js";

/** Signs in with a password; whoever comes to a page is on that page afterwards. */
export function SignIn({ onDone }: { onDone: () => Promise<void> }) {
  const send = async (values: FormData) => {
    await signIn(textOf(values, "email"), textOf(values, "password"));
    await onDone();
  };
  return (
    <Entrance title="Sign in">
      <Form submit="Sign in" onSubmit={send}>
        <SignInFields />
      </Form>
      <details>
        <summary>No account, or no password?</summary>
        <p>
          An owner of your organization invites you in Settings, under Members. Whoever runs the gateway can
          make a link for an account that exists: <code>gateway users sign-in-link your@e-mail</code>
        </p>
      </details>
    </Entrance>
  );
}
