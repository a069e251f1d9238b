import { useCallback, useEffect, useState } from "preact/hooks";
import { LocationProvider } from "preact-iso";
import { GatewayFailure, messageOf } from "./gateway/failure.js";
import { awaitReturn } from "./gateway/interruptions.js";
import { type LinkToken, takeToken } from "./gateway/token.js";
import { readViewer, type Viewer, ViewerProvider } from "./gateway/viewer.js";
import { Invitation } from "./pages/invitation.js";
import { SignIn } from "./pages/sign-in.js";
import { SignInLink } from "./pages/sign-in-link.js";
import { Pages } from "./pages.js";
import { AwayBanner, Questions } from "./parts/questions.js";

type State = { readonly viewer: Viewer | null } | { readonly failure: unknown };

/** The console: a link that brought somebody, the sign-in, or the pages of the person who is signed in. */
export function App() {
  const [state, setState] = useState<State>();
  const [link, setLink] = useState<LinkToken | null>(takeToken);
  const enter = useCallback(async () => {
    try {
      setState({ viewer: await readViewer() });
    } catch (failure) {
      if (!(failure instanceof GatewayFailure) || failure.code !== "OFFLINE") return setState({ failure });
      await awaitReturn();
      await enter();
    }
  }, []);
  const enterByLink = async () => {
    await enter();
    setLink(null);
  };
  useEffect(() => void enter(), [enter]);
  useEffect(() => {
    const follow = () => setLink((before) => takeToken() ?? before);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return (
    <LocationProvider scope="/console">
      <AwayBanner />
      <Content {...{ state, link, enter, enterByLink }} />
    </LocationProvider>
  );
}

interface ContentProps {
  readonly state: State | undefined;
  readonly link: LinkToken | null;
  readonly enter: () => Promise<void>;
  readonly enterByLink: () => Promise<void>;
}

function Content({ state, link, enter, enterByLink }: ContentProps) {
  if (link?.kind === "sign-in") return <SignInLink token={link.token} onDone={enterByLink} />;
  if (link?.kind === "invitation") return <Invitation token={link.token} onDone={enterByLink} />;
  if (state === undefined) return <main class="container skeleton page" role="status" aria-label="Loading" />;
  if ("failure" in state) {
    return (
      <main class="container narrow" role="alert">
        <h1>The console did not load</h1>
        <p>{messageOf(state.failure)}</p>
        <button type="button" onClick={enter}>
          Try again
        </button>
      </main>
    );
  }
  if (state.viewer === null) return <SignIn onDone={enter} />;
  return (
    <ViewerProvider value={state.viewer}>
      <Pages />
      <Questions />
    </ViewerProvider>
  );
}
