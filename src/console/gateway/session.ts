import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import type { PasskeyAnswer, PasskeyRequest } from "./factors/passkeys.js";
import { GatewayFailure } from "./failure.js";
import { post } from "./post.js";
import { askAndSend } from "./run.js";

export const AUTH = "/api/v1/auth";

/** The user whom a sign-in authenticated. */
export interface SignedIn {
  readonly user: { readonly id: string };
}

/** The ways to give a second factor. */
export type FactorWay = "totp" | "passkey" | "recovery_code";

/** A second factor that a sign-in still needs. */
export interface SignInChallenge {
  readonly token: string;
  readonly methods: readonly FactorWay[];
  readonly passkey: PublicKeyCredentialRequestOptionsJSON | null;
}

/** A sign-in: complete, or waiting for the second factor. */
export type Entry = SignedIn | { readonly challenge: SignInChallenge };

/** A password, or a second factor, given again. */
export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly recovery_code: string }
  | PasskeyAnswer;

/** The ways to sign in with the addresses of a domain. */
export interface SignInWays {
  /** Start of the sign-in with the organization's provider; null without single sign-on. */
  readonly sso: { readonly url: string } | null;
}

/** Returns how one signs in with an address, which depends on its domain alone. */
export const findSignInWays = (email: string): Promise<SignInWays> => post(`${AUTH}/start`, { email });

/** Signs in with a password. */
export const signIn = (email: string, password: string): Promise<Entry> =>
  post(`${AUTH}/login`, { email, password, transport: "cookie" });

/** Reads the second factor that a sign-in by the organization's provider still needs. */
export const readChallenge = (challenge: string): Promise<{ readonly challenge: SignInChallenge }> =>
  post(`${AUTH}/login/factor/options`, { challenge });

/** Gives the second factor that a sign-in needs. */
export const giveFactor = (challenge: string, proof: Proof): Promise<SignedIn> =>
  post(`${AUTH}/login/factor`, { ...proof, challenge, transport: "cookie" });

/** Begins a sign-in with a passkey alone. */
export const startPasskeySignIn = (): Promise<PasskeyRequest> => post(`${AUTH}/login/passkey/options`, {});

/** Signs in with a passkey alone. */
export const signInWithPasskey = (answer: PasskeyAnswer): Promise<SignedIn> =>
  post(`${AUTH}/login/passkey`, { ...answer, transport: "cookie" });

/** Signs in with a printed or sent link, and sets the account's password if one is given. */
export const followLink = (token: string, password: string): Promise<Entry> =>
  post(`${AUTH}/link`, { token, password, transport: "cookie" });

/** The account and organization of a sign-in link or an invitation. */
export interface LinkDetails {
  readonly email: string;
  readonly organization: string | null;
  readonly role: string | null;
  readonly inviter: string | null;
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

/** Creates an account with an organization of its own. */
export const registerOrganization = (registration: Registration): Promise<SignedIn> =>
  post(`${AUTH}/register`, { ...registration, transport: "cookie" });

/**
 * Accepts an invitation: creates an account, or adds the organization to the existing account of the invitation's
 * e-mail address.
 */
export const acceptInvitation = (invitation: string, name: string, password: string): Promise<Entry> =>
  post(`${AUTH}/register`, { invitation, password, ...(name && { name }), transport: "cookie" });

/** Proves again who the user at the keyboard is. */
export const reauthenticate = (proof: Proof): Promise<unknown> => post(`${AUTH}/reauthenticate`, proof);

/** Begins that with a passkey. */
export const startReauthentication = (): Promise<PasskeyRequest> =>
  post(`${AUTH}/reauthenticate/options`, {});

/**
 * Ends the session, and leaves nothing of it in the browser. Then ends the session at the organization's provider, if it
 * began this one. Succeeds for a session that has ended already.
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

/** Makes another of the user's organizations the active one, after the proof that it needs. */
export const switchOrganization = (slug: string): Promise<unknown> =>
  askAndSend(() => post(`${AUTH}/organization`, { slug }));

/**
 * Uses a mailed link that concerns an address: confirms it, with the account's session or password, or cancels its
 * change; with `deny`, ends the link.
 */
export const spendAddressLink = (
  token: string,
  proof: { readonly password?: string; readonly deny?: true } = {},
): Promise<{ readonly email: string }> => post(`${AUTH}/email/confirm`, { token, ...proof });

/** Sends a link to a new address of the account, and a notice to the present one. */
export const changeAddress = (email: string): Promise<unknown> => post(`${AUTH}/email`, { email });

/** Sends a link for a new password, if the address has an account. */
export const requestReset = (email: string): Promise<unknown> => post(`${AUTH}/password-reset`, { email });

/** Sets a new password by a link. */
export const finishReset = (token: string, password: string): Promise<unknown> =>
  post(`${AUTH}/password-reset/finish`, { token, password });

/** Sends links that confirm the user's addresses. */
export const sendConfirmations = (): Promise<unknown> => post(`${AUTH}/email/send`, {});
