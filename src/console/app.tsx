import { useCallback, useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { messageOf } from "./gateway/failure.js";
import { isRegistrationOpen } from "./gateway/session.js";
import { type LinkToken, takeToken } from "./gateway/token.js";
import { readViewer, type Viewer, ViewerProvider, viewerChanges } from "./gateway/viewer.js";
import { AcceptVerification } from "./pages/entrance/accept-verification.js";
import { ConfirmAddress } from "./pages/entrance/confirm-address.js";
import { Invitation } from "./pages/entrance/invitation.js";
import { Register } from "./pages/entrance/register.js";
import { SignIn } from "./pages/entrance/sign-in.js";
import { SignInLink } from "./pages/entrance/sign-in-link.js";
import { Pages } from "./pages.js";
import { Button } from "./parts/button.js";
import { DelayBanner, Questions } from "./parts/forms/questions.js";

type State = { readonly viewer: Viewer | null } | { readonly failure: unknown };

/** The console: the page of a link that the user opened, the sign-in, or the pages of the signed-in user. */
export function App() {
  const { path, route } = useLocation();
  const [state, setState] = useState<State>();
  const [link, setLink] = useState<LinkToken | null>(takeToken);
  const enter = useCallback(async () => {
    try {
      setState({ viewer: await readViewer() });
    } catch (failure) {
      setState({ failure });
    }
  }, []);
  const enterByLink = async () => {
    await enter();
    setLink(null);
  };
  const begin = async () => {
    await enter();
    route("/console/", true);
  };
  useEffect(() => void enter(), [enter]);
  useEffect(() => viewerChanges.subscribe(() => void enter()), [enter]);
  useEffect(() => {
    const follow = () => setLink((before) => takeToken() ?? before);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const show = () => {
    if (link?.kind === "sign-in") return <SignInLink token={link.token} onDone={enterByLink} />;
    if (link?.kind === "invitation") return <Invitation token={link.token} onDone={enterByLink} />;
    if (state === undefined)
      return <main class="container skeleton page" role="status" aria-label="Loading" />;
    if ("failure" in state) {
      return (
        <main class="container narrow" role="alert">
          <h1>The console did not load</h1>
          <p>{messageOf(state.failure)}</p>
          <Button label="Try again" look="primary" onClick={enter} />
        </main>
      );
    }
    if (state.viewer === null) {
      if (path === "/console/register" && isRegistrationOpen()) return <Register onDone={begin} />;
      const intro = link?.kind === "verify" ? "Sign in to accept the verification request." : undefined;
      return <SignIn onDone={enter} intro={intro} />;
    }
    if (link?.kind === "confirm") return <ConfirmAddress token={link.token} onDone={enterByLink} />;
    return (
      <ViewerProvider value={state.viewer}>
        {link === null ? <Pages /> : <AcceptVerification token={link.token} onDone={enterByLink} />}
        <Questions />
      </ViewerProvider>
    );
  };
  return (
    <>
      <DelayBanner />
      {show()}
    </>
  );
}
