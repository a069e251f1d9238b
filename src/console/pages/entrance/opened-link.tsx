import "./entrance.css";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { GatewayFailure, messageOf } from "../../gateway/failure.js";
import { inspectLink, type LinkDetails } from "../../gateway/session.js";
import { useAnswer } from "../../gateway/use-query.js";
import { Button } from "../../parts/button.js";

interface OpenedLinkProps {
  readonly token: string;
  /** Leaves the page of the link. */
  readonly onLeave: () => Promise<void>;
  readonly children: (details: LinkDetails) => ComponentChildren;
}

/**
 * The page of a link that is described before its use. If it cannot be opened, shows the error and a button to sign in.
 */
export function OpenedLink({ token, onLeave, children }: OpenedLinkProps) {
  const { data, error, isLoading } = useAnswer(() => inspectLink(token), token);
  const isBroken = error !== undefined;
  useEffect(() => {
    if (isBroken) document.title = "Link · Carbon Gateway";
  }, [isBroken]);
  if (isLoading) return <main class="container skeleton page" role="status" aria-label="Loading" />;
  if (!isBroken) return <>{data && children(data)}</>;
  const isExpired = error instanceof GatewayFailure && error.code === "LINK_EXPIRED";
  return (
    <main class="container entrance" role="alert">
      <p class="quiet">Carbon Gateway</p>
      <h1>{isExpired ? "This link no longer works" : "The link could not be opened"}</h1>
      {isExpired ? (
        <>
          <p>It has already been used, replaced or revoked, or it has expired.</p>
          <p>Ask for a new one. If you have a password, sign in with it.</p>
        </>
      ) : (
        <p>{messageOf(error)}</p>
      )}
      <Button label="Sign in" look="primary" onClick={onLeave} />
    </main>
  );
}

/** Read-only field with the e-mail address of a link's account, for password managers. */
export const AccountField = ({ email }: Pick<LinkDetails, "email">) => (
  <div class="field">
    <label for="account">E-mail</label>
    <input id="account" type="email" autocomplete="username" value={email} readOnly />
  </div>
);
