import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { offerPasskeys, supportsPasskeys, usePasskey } from "../../gateway/factors/passkeys.js";
import {
  findSignInMethods,
  type SignedIn,
  type SignInChallenge,
  type SignInMethods,
  type SignInOutcome,
  signIn,
  signInWithPasskey,
  startPasskeySignIn,
} from "../../gateway/session.js";
import { Button } from "../button.js";
import { Field } from "../fields/field.js";
import { Form } from "../forms/form.js";
import { textOf } from "../forms/values.js";
import { useAttempt } from "../states.js";
import { SecondStep } from "./second-step.js";

/** Pause in typing after which the sign-in methods of an address are looked up. */
const PAUSE_MS = 300;

interface KnownMethods extends SignInMethods {
  readonly domain: string;
}

interface SignInFormProps {
  /** The initial address. */
  readonly email?: string;
  readonly onDone: (signedIn: SignedIn) => Promise<void>;
  /** Content below the first step. */
  readonly children?: ComponentChildren;
}

/**
 * The sign-in form. Asks for the e-mail address, then offers the methods of its domain, then asks for the second
 * factor. Always allows a password, because owners keep one in case the organization's provider fails.
 */
export function SignInForm({ email: proposed = "", onDone, children }: SignInFormProps) {
  const [email, setEmail] = useState(proposed);
  const [methods, setMethods] = useState<KnownMethods | null>(null);
  const [wantsPassword, setWantsPassword] = useState(false);
  const [challenge, setChallenge] = useState<SignInChallenge | null>(null);
  const { attempt, complaint } = useAttempt();
  const container = useRef<HTMLDivElement>(null);
  const provider = wantsPassword ? null : (methods?.sso ?? null);
  const asksPassword = wantsPassword || (methods !== null && provider === null);

  const lookUp = async (): Promise<KnownMethods> => {
    const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
    if (methods?.domain === domain) return methods;
    const found = { ...(await findSignInMethods(email)), domain };
    setMethods(found);
    return found;
  };
  const enter = async (entry: SignInOutcome) => {
    if ("challenge" in entry) setChallenge(entry.challenge);
    else await onDone(entry);
  };
  useEffect(() => {
    if (!/^[^@\s]+@[^@\s]+$/.test(email)) return;
    // Failures appear when the user submits the form.
    const timer = setTimeout(() => void lookUp().catch(() => undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [email]);
  useEffect(() => {
    const leaving = new AbortController();
    offerPasskeys(
      startPasskeySignIn,
      async (answer) => enter(await signInWithPasskey(answer)),
      leaving.signal,
    )
      // Failures appear when the user clicks the passkey button.
      .catch(() => undefined);
    return () => leaving.abort();
  }, []);
  // Moves the focus to the password after a click or a submit, never while the user types the address.
  const focusPassword = () =>
    requestAnimationFrame(() => container.current?.querySelector<HTMLElement>("[name=password]")?.focus());

  const submit = async (values: FormData) => {
    if (!wantsPassword) {
      const { sso } = await lookUp();
      if (sso !== null) {
        if (provider !== null) location.assign(`${sso.url}?${new URLSearchParams({ return: here() })}`);
        return;
      }
    }
    if (asksPassword) await enter(await signIn(email, textOf(values, "password")));
    else focusPassword();
  };
  const enterByPasskey = () =>
    attempt(async () => enter(await signInWithPasskey(await usePasskey(await startPasskeySignIn()))));

  if (challenge !== null)
    return <SecondStep challenge={challenge} onDone={onDone} onRestart={() => setChallenge(null)} />;
  return (
    <div ref={container}>
      <Form
        submit={provider === null ? "Sign in" : "Continue with your organization"}
        onSubmit={submit}
        keepsValues
      >
        <Field
          label="E-mail"
          name="email"
          type="email"
          value={email}
          onInput={setEmail}
          autocomplete="username webauthn"
          required
        />
        {asksPassword && (
          <Field label="Password" name="password" type="password" autocomplete="current-password" required />
        )}
      </Form>
      {complaint}
      <div class="other-methods">
        {!asksPassword && (
          <Button
            label="Use a password"
            look="quiet"
            onClick={() => {
              setWantsPassword(true);
              focusPassword();
            }}
          />
        )}
        {supportsPasskeys() && <Button label="Use a passkey" look="quiet" onClick={enterByPasskey} />}
      </div>
      {children}
    </div>
  );
}

/** The current page, to which the provider returns. */
const here = () => location.pathname + location.search;
