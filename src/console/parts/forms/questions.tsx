import { delay, question } from "../../gateway/interruptions.js";
import { reauthenticate, type SignedIn, signIn } from "../../gateway/session.js";
import { useStore } from "../../gateway/store.js";
import { useViewer } from "../../gateway/viewer.js";
import { Field } from "../fields/field.js";
import { SignInFields } from "../fields/passwords.js";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";
import { textOf } from "./values.js";

/** Asks for the sign-in or password that requests wait for. The page below keeps the typed values. */
export function Questions() {
  const open = useStore(question);
  const { user } = useViewer();
  if (open === null) return null;
  const enter = async (values: FormData) => {
    const signedIn: SignedIn = await signIn(textOf(values, "email"), textOf(values, "password"));
    // The page contains data of another user.
    if (signedIn.user.id !== user.id) location.reload();
    else open.answered();
  };
  if (open.asks === "sign-in") {
    return (
      <Dialog title="Your session has ended">
        <p>Sign in to go on where you were.</p>
        <Form submit="Sign in" onSubmit={enter}>
          <SignInFields email={user.email} />
        </Form>
      </Dialog>
    );
  }
  const confirm = async (values: FormData) => {
    await reauthenticate(textOf(values, "password"));
    open.answered();
  };
  return (
    <Dialog title="Confirm that it is you" onClose={open.declined}>
      <p>You gave your password more than 10 minutes ago, and this needs it again.</p>
      <Form submit="Confirm" onSubmit={confirm} onCancel={open.declined}>
        <Field label="Password" name="password" type="password" autocomplete="current-password" required />
      </Form>
    </Dialog>
  );
}

/** Shows the reason why requests wait, as long as they do. */
export function DelayBanner() {
  const why = useStore(delay);
  return (
    <div role="status" class={why === null ? "" : "away"}>
      {why}
    </div>
  );
}
