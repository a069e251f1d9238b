import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { GatewayFailure } from "../failure.js";
import { loadWithRetries } from "../interruptions.js";

/** Options for the browser, and the token to send with its answer. */
export interface PasskeyRequest<Options = PublicKeyCredentialRequestOptionsJSON> {
  readonly options: Options;
  readonly challenge: string;
}

/** The browser's answer with a passkey. */
export interface PasskeyAnswer<Response = AuthenticationResponseJSON> {
  readonly response: Response;
  readonly challenge: string;
}

/** Returns true if the page's host is an IP address. Browsers do not support passkeys there. */
export const isOnIpAddress = (): boolean => /^[\d.]+$|^\[/.test(location.hostname);

/** Returns true if this browser can use passkeys on this page. */
export const supportsPasskeys = (): boolean => window.PublicKeyCredential !== undefined && !isOnIpAddress();

const library = () => loadWithRetries(() => import("@simplewebauthn/browser"));

/** Asks the user for a passkey. */
export async function usePasskey({ options, challenge }: PasskeyRequest): Promise<PasskeyAnswer> {
  const { startAuthentication } = await library();
  const response = await startAuthentication({ optionsJSON: options }).catch(explain);
  return { challenge, response };
}

/** Asks the user to create a passkey. */
export async function createPasskey({
  options,
  challenge,
}: PasskeyRequest<PublicKeyCredentialCreationOptionsJSON>): Promise<PasskeyAnswer<RegistrationResponseJSON>> {
  const { startRegistration } = await library();
  return { challenge, response: await startRegistration({ optionsJSON: options }).catch(explain) };
}

function explain(thrown: unknown): never {
  const { name, code } = thrown as { readonly name?: string; readonly code?: string };
  if (code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    throw new GatewayFailure("CONFLICT", "This device already has a passkey for your account.");
  if (name === "NotAllowedError" || name === "AbortError")
    throw new GatewayFailure("DECLINED", "No passkey was used. Try again, or choose another method.");
  throw thrown;
}

/** Challenges expire after 5 minutes, so autofill gets a new one shortly before. */
const RENEWED_AFTER_MS = 270_000;

/**
 * Offers passkeys in the autofill of the e-mail field until the user chooses one or `signal` is aborted. Rejects if it
 * is interrupted or fails. Does nothing without passkey autofill, or on an IP address.
 */
export async function offerPasskeys(
  start: () => Promise<PasskeyRequest>,
  onChosen: (answer: PasskeyAnswer) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  if (!supportsPasskeys()) return;
  const { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } = await library();
  if (signal.aborted || !(await browserSupportsWebAuthnAutofill())) return;
  signal.addEventListener("abort", () => WebAuthnAbortService.cancelCeremony());
  while (!signal.aborted) {
    const { options, challenge } = await start();
    if (signal.aborted) return;
    let isExpired = false;
    const timer = setTimeout(() => {
      isExpired = true;
      WebAuthnAbortService.cancelCeremony();
    }, RENEWED_AFTER_MS);
    try {
      const response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: true });
      return void (await onChosen({ challenge, response }));
    } catch (failure) {
      // Only an expired challenge restarts the autofill. Any failure, or another passkey prompt, ends it.
      if (!isExpired) throw failure;
    } finally {
      clearTimeout(timer);
    }
  }
}
