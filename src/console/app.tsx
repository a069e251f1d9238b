import { useCallback, useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { messageOf } from "./gateway/failure.js";
import { isFactorRequired } from "./gateway/run.js";
import { isRegistrationOpen } from "./gateway/session.js";
import { type LinkToken, takeToken } from "./gateway/token.js";
import { readViewer, type Viewer, ViewerProvider, viewerChanges } from "./gateway/viewer.js";
import { AcceptVerification } from "./pages/entrance/accept-verification.js";
import { AddRequiredFactor } from "./pages/entrance/add-required-factor.js";
import { CancelChange } from "./pages/entrance/cancel-change.js";
import { ConfirmAddress } from "./pages/entrance/confirm-address.js";
import { DisownAddition } from "./pages/entrance/disown-addition.js";
import { ForgotPassword } from "./pages/entrance/forgot-password.js";
import { Invitation } from "./pages/entrance/invitation.js";
import { NewPassword } from "./pages/entrance/new-password.js";
import { ProviderFactor } from "./pages/entrance/provider-factor.js";
import { Register } from "./pages/entrance/register.js";
import { SignIn } from "./pages/entrance/sign-in.js";
import { SignInFailed } from "./pages/entrance/sign-in-failed.js";
import { SignInLink } from "./pages/entrance/sign-in-link.js";
import { Pages } from "./pages.js";
import { Button } from "./parts/button.js";
import { DelayBanner, Prompts } from "./parts/forms/prompts.js";

type State = { readonly viewer: Viewer | null } | { readonly failure: unknown };

/** The console: the page for an opened link, the sign-in page, or the pages for the signed-in user. */
export function App() {
  const { path, route } = useLocation();
  const [state, setState] = useState<State>();
  const [link, setLink] = useState<LinkToken | null>(takeToken);
  const [notice, setNotice] = useState<string>();
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
  /** Leaves the link's page. The sign-in page shows the result, unless the user is signed in. */
  const leaveWith = async (text: string) => {
    setNotice(text);
    await enterByLink();
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
    if (link?.kind === "reset")
      return <NewPassword token={link.token} onDone={leaveWith} onLeave={enterByLink} />;
    if (link?.kind === "cancel") return <CancelChange token={link.token} onLeave={enterByLink} />;
    if (link?.kind === "disown") return <DisownAddition token={link.token} onLeave={enterByLink} />;
    if (link?.kind === "challenge") return <ProviderFactor token={link.token} onDone={enterByLink} />;
    if (link?.kind === "invitation") return <Invitation token={link.token} onDone={enterByLink} />;
    if (link?.kind === "sign-in-failed") return <SignInFailed requestId={link.token} onLeave={enterByLink} />;
    if (state === undefined)
      return <main class="container skeleton page" role="status" aria-label="Loading" />;
    if ("failure" in state) {
      if (isFactorRequired(state.failure))
        return (
          <>
            <AddRequiredFactor onDone={enter} />
            <Prompts viewer={null} />
          </>
        );
      return (
        <main class="container narrow" role="alert">
          <h1>The console did not load</h1>
          <p>{messageOf(state.failure)}</p>
          <Button label="Try again" look="primary" onClick={enter} />
        </main>
      );
    }
    if (link?.kind === "confirm" || link?.kind === "change") {
      const { token, kind } = link;
      const isSignedIn = state.viewer !== null;
      return (
        <ConfirmAddress
          token={token}
          isChange={kind === "change"}
          isSignedIn={isSignedIn}
          onDone={leaveWith}
        />
      );
    }
    if (state.viewer === null) {
      if (path === "/console/forgot-password") return <ForgotPassword />;
      if (path === "/console/register" && isRegistrationOpen()) return <Register onDone={begin} />;
      const intro = link?.kind === "verify" ? "Sign in to accept the verification request." : notice;
      return <SignIn onDone={enter} intro={intro} />;
    }
    return (
      <ViewerProvider value={state.viewer}>
        {link === null ? <Pages /> : <AcceptVerification token={link.token} onDone={enterByLink} />}
        <Prompts viewer={state.viewer} />
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
