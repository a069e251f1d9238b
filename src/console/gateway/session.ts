import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import type { AdditionKind, LeftKind } from "../../domain/people/additions.js";
import type { PasskeyAnswer, PasskeyRequest } from "./factors/passkeys.js";
import { GatewayFailure } from "./failure.js";
import { post } from "./post.js";
import { sendWithPrompts } from "./run.js";

export const AUTH = "/api/v1/auth";

/** A completed sign-in. */
export interface SignedIn {
  readonly user: { readonly id: string };
}

/** Methods for a second factor. */
export type FactorMethod = "totp" | "passkey" | "recovery_code";

/** A second factor that a sign-in still needs. */
export interface SignInChallenge {
  readonly token: string;
  readonly methods: readonly FactorMethod[];
  readonly passkey: PublicKeyCredentialRequestOptionsJSON | null;
}

/** A sign-in: complete, or waiting for the second factor. */
export type SignInOutcome = SignedIn | { readonly challenge: SignInChallenge };

/** A password or second factor that proves the user's identity. */
export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly recovery_code: string }
  | PasskeyAnswer;

/** Sign-in methods for the e-mail addresses of a domain. */
export interface SignInMethods {
  /** URL where single sign-on starts; null if the domain has none. */
  readonly sso: { readonly url: string } | null;
}

/** Returns the sign-in methods for an e-mail address. They depend only on its domain. */
export const findSignInMethods = (email: string): Promise<SignInMethods> => post(`${AUTH}/start`, { email });

/** Signs in with a password. */
export const signIn = (email: string, password: string): Promise<SignInOutcome> =>
  post(`${AUTH}/login`, { email, password, transport: "cookie" });

/** Reads the second factor that a sign-in still needs, e.g. one with single sign-on. */
export const readChallenge = (challenge: string): Promise<{ readonly challenge: SignInChallenge }> =>
  post(`${AUTH}/login/factor/options`, { challenge });

/** Completes a sign-in with a second factor. */
export const completeSignIn = (challenge: string, proof: Proof): Promise<SignedIn> =>
  post(`${AUTH}/login/factor`, { ...proof, challenge, transport: "cookie" });

/** Starts a sign-in with only a passkey. */
export const startPasskeySignIn = (): Promise<PasskeyRequest> => post(`${AUTH}/login/passkey/options`, {});

/** Signs in with only a passkey. */
export const signInWithPasskey = (answer: PasskeyAnswer): Promise<SignedIn> =>
  post(`${AUTH}/login/passkey`, { ...answer, transport: "cookie" });

/** Signs in with a link, and sets the account's password. */
export const followLink = (token: string, password: string, removesAdded: boolean): Promise<SignInOutcome> =>
  post(`${AUTH}/link`, { token, password, remove_added: removesAdded, transport: "cookie" });

/** Access that was added to an account. */
export interface Addition {
  readonly kind: AdditionKind;
  readonly name: string;
  readonly added_at: string | null;
}

/** Something that a user added to an organization. */
export interface LeftAddition {
  readonly kind: LeftKind;
  readonly name: string;
  readonly organization: string;
  readonly added_at: string;
}

/** The account and organization of a link, and what the link removes. */
export interface LinkDetails {
  readonly email: string;
  readonly organization: string | null;
  readonly role: string | null;
  readonly inviter: string | null;
  readonly additions: readonly Addition[];
  readonly to_review: readonly LeftAddition[];
  /** Hours until a link for a new password follows if the additions are removed; 0 without a wait. */
  readonly password_delay_hours: number;
  /** Time until which the link sets no password; null if it does. */
  readonly password_link_at: string | null;
}

/** Describes a link without using it up. Rejects with LINK_EXPIRED if it does not work. */
export const inspectLink = (token: string): Promise<LinkDetails> => post(`${AUTH}/link/inspect`, { token });

/** Returns true if anyone may register. */
export const isRegistrationOpen = (): boolean => document.documentElement.dataset["registration"] === "open";

interface Registration {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly organization: { readonly name: string };
}

/** Creates an account and its organization, and signs in. */
export const registerOrganization = (registration: Registration): Promise<SignedIn> =>
  post(`${AUTH}/register`, { ...registration, transport: "cookie" });

/**
 * Accepts an invitation and signs in. Creates an account, or adds the organization to the existing account with the
 * invitation's e-mail address.
 */
export const acceptInvitation = (
  invitation: string,
  name: string,
  password: string,
): Promise<SignInOutcome> =>
  post(`${AUTH}/register`, { invitation, password, ...(name && { name }), transport: "cookie" });

/** Confirms the user's identity again. */
export const reauthenticate = (proof: Proof): Promise<unknown> => post(`${AUTH}/reauthenticate`, proof);

/** Starts a reauthentication with a passkey. */
export const startReauthentication = (): Promise<PasskeyRequest> =>
  post(`${AUTH}/reauthenticate/options`, {});

/**
 * Signs out, then leaves the page, which discards its data. If the session started with single sign-on, signs out of
 * the provider too if it offers that. Any error response counts as signed out, because the session may have already
 * ended. Rejects only if there is no response.
 */
export async function signOut(): Promise<void> {
  const ended = await post<{ provider_logout_url: string | null }>(`${AUTH}/logout`, {}).catch((error) => {
    if (!(error instanceof GatewayFailure) || error.code === "OFFLINE") throw error;
    return null;
  });
  location.replace(ended?.provider_logout_url ?? "/console/");
}

/** Changes the password, and ends the user's other sessions. */
export const changePassword = (current: string, password: string): Promise<unknown> =>
  post(`${AUTH}/password`, { current, new: password });

/** Switches to another of the user's organizations. Asks for a proof if that organization needs one. */
export const switchOrganization = (slug: string): Promise<unknown> =>
  sendWithPrompts(() => post(`${AUTH}/organization`, { slug }));

/** Result of a link about an e-mail address; with lists of what a cancelled or denied request had added. */
export interface ConfirmedAddress {
  readonly email: string;
  readonly removed?: readonly Addition[];
  readonly to_review?: readonly LeftAddition[];
}

/**
 * Uses a link about an e-mail address: confirms the address, or cancels its change. Confirming needs the account's
 * session or its password. `deny` invalidates the link. For the account's own unconfirmed address, it also disables the
 * account.
 */
export const spendAddressLink = (
  token: string,
  proof: { readonly password?: string; readonly deny?: true } = {},
): Promise<ConfirmedAddress> => post(`${AUTH}/email/confirm`, { token, ...proof });

/** Sends a confirmation link to the new address, and a link that cancels the change to a confirmed current one. */
export const changeAddress = (email: string): Promise<unknown> => post(`${AUTH}/email`, { email });

/** Sends a link for a new password, if the address has an account. */
export const requestReset = (email: string): Promise<unknown> => post(`${AUTH}/password-reset`, { email });

/** Result of a reset. If `password_link_at` is set, the password was removed and a link follows at that time. */
export interface PasswordReset {
  readonly removed?: readonly Addition[];
  readonly password_link_at?: string | null;
}

/** Sets a new password with the token from a link, and ends all of the user's sessions. */
export const finishReset = (token: string, password: string, removesAdded: boolean): Promise<PasswordReset> =>
  post(`${AUTH}/password-reset/finish`, { token, password, remove_added: removesAdded });

/** Result of removing what an e-mail reported. */
export interface Disowned {
  readonly removed: readonly Addition[];
  readonly password_removed: boolean;
  readonly password_link_at: string | null;
}

/** Removes what an e-mail reported as added to the account, and ends all sessions. */
export const disown = (token: string): Promise<Disowned> => post(`${AUTH}/disown`, { token });

/** Sends links that confirm the user's unconfirmed addresses. */
export const sendConfirmations = (): Promise<unknown> => post(`${AUTH}/email/send`, {});
