import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../gateway/failure.js";
import { checkLink, followLink } from "../../gateway/session.js";
import { Button } from "../../parts/button.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

/** The first sign-in, or the one after a forgotten password: by a link that works once. */
export function SignInLink({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  const [state, setState] = useState<"checking" | "usable" | { readonly failure: unknown }>("checking");
  useEffect(() => {
    setState("checking");
    checkLink(token).then(
      () => setState("usable"),
      (failure) => setState({ failure }),
    );
  }, [token]);
  if (state === "checking")
    return <main class="container skeleton page" role="status" aria-label="Loading" />;
  if (state !== "usable") {
    return (
      <main class="container entrance" role="alert">
        <h1>The link does not work</h1>
        <p>{messageOf(state.failure)}</p>
        <Button label="Go to sign-in" look="primary" onClick={onDone} />
      </main>
    );
  }
  return (
    <Entrance
      title="Set a password"
      submit="Set password and sign in"
      enter={(values) => followLink(token, textOf(values, "password"))}
      check={checkNewPassword}
      onDone={onDone}
      intro="The link that you followed signs you in once. Choose the password for the next times."
    >
      <NewPassword label="New password" />
    </Entrance>
  );
}
