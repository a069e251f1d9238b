import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { send } from "../post.js";
import { sendWithPrompts } from "../run.js";
import { AUTH } from "../session.js";
import type { PasskeyAnswer, PasskeyRequest } from "./passkeys.js";

/** A passkey of the user. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** The user's authentication factors. */
export interface Factors {
  readonly totp: { readonly confirmed_at: string } | null;
  readonly passkeys: readonly Passkey[];
  readonly recovery_codes_left: number;
  readonly has_password: boolean;
}

interface RecoveryCodes {
  /** Null after adding a factor that is not the user's first. */
  readonly recovery_codes: readonly string[] | null;
}

/** Reads the user's factors. */
export const readFactors = (signal?: AbortSignal): Promise<Factors> =>
  send(`${AUTH}/factors`, { method: "GET", signal });

/** Sends a change to the factors or the password. Asks for a sign-in or a proof if the gateway needs one. */
const change = <Data>(path: string, method: "POST" | "PATCH" | "DELETE", body?: object): Promise<Data> =>
  sendWithPrompts(() => send(`${AUTH}/${path}`, { method, ...(body && { body }) }));

/** The secret for an authenticator app. It takes effect once a code confirms it. */
export interface NewTotp {
  readonly secret: string;
  readonly qr_svg: string;
}

export const createTotp = (): Promise<NewTotp> => change("totp", "POST", {});

export const confirmTotp = (code: string): Promise<RecoveryCodes> => change("totp/confirm", "POST", { code });

export const removeTotp = (): Promise<unknown> => change("totp", "DELETE");

export const startEnrolment = (): Promise<PasskeyRequest<PublicKeyCredentialCreationOptionsJSON>> =>
  change("passkeys/options", "POST", {});

export const addPasskey = (
  name: string,
  answer: PasskeyAnswer<RegistrationResponseJSON>,
): Promise<RecoveryCodes> => change("passkeys", "POST", { name, ...answer });

export const renamePasskey = (id: string, name: string): Promise<unknown> =>
  change(`passkeys/${id}`, "PATCH", { name });

export const removePasskey = (id: string): Promise<unknown> => change(`passkeys/${id}`, "DELETE");

/** Replaces the recovery codes. */
export const renewRecoveryCodes = (): Promise<RecoveryCodes> => change("recovery-codes", "POST", {});

/** Removes the password, so that the user signs in with passkeys alone. */
export const removePassword = (): Promise<unknown> => change("password", "DELETE");
