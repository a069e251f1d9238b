import { GatewayFailure } from "./failure.js";
import { post } from "./post.js";

const AUTH = "/api/v1/auth";

/** The person whom a sign-in proved. */
export interface SignedIn {
  readonly user: { readonly id: string };
}

/** Signs in with a password. */
export const signIn = (email: string, password: string): Promise<SignedIn> =>
  post(`${AUTH}/login`, { email, password, transport: "cookie" });

/** Signs in with a link that was printed or sent, and sets the account's password if one is given. */
export const followLink = (token: string, password: string): Promise<SignedIn> =>
  post(`${AUTH}/link`, { token, password, transport: "cookie" });

/** Rejects if a sign-in link no longer works. Does not use it up: of a link that works, only the empty password is refused. */
export const checkLink = (token: string): Promise<unknown> =>
  followLink(token, "").catch((failure) => {
    if (!(failure instanceof GatewayFailure && failure.code === "VALIDATION_FAILED")) throw failure;
  });

/** Whether everybody may register. */
export const isRegistrationOpen = (): boolean => document.documentElement.dataset["registration"] === "open";

interface Registration {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly organization: { readonly name: string };
}

/** Makes an account with an organization of its own. */
export const registerOrganization = (registration: Registration): Promise<SignedIn> =>
  post(`${AUTH}/register`, { ...registration, transport: "cookie" });

/** Accepts an invitation: makes an account, or adds to the one that the invitation's e-mail address has. */
export const acceptInvitation = (invitation: string, name: string, password: string): Promise<SignedIn> =>
  post(`${AUTH}/register`, { invitation, password, ...(name && { name }), transport: "cookie" });

/** Proves again that the person at the keyboard knows the password. */
export const reauthenticate = (password: string): Promise<unknown> =>
  post(`${AUTH}/reauthenticate`, { password });

/** Ends the session, and leaves nothing of it in the browser. A session that has ended already is as good. */
export async function signOut(): Promise<void> {
  await post(`${AUTH}/logout`, {}).catch((error) => {
    if (!(error instanceof GatewayFailure) || error.code === "OFFLINE") throw error;
  });
  location.replace("/console/");
}

/** Changes the password, and ends the person's other sessions. */
export const changePassword = (current: string, password: string): Promise<unknown> =>
  post(`${AUTH}/password`, { current, new: password });

/** Makes another of the person's organizations the active one. */
export const switchOrganization = (slug: string): Promise<unknown> => post(`${AUTH}/organization`, { slug });

/** Confirms an e-mail address by a link that was sent there. */
export const confirmAddress = (token: string): Promise<{ readonly email: string }> =>
  post(`${AUTH}/email/confirm`, { token });

/** Sends links that confirm the person's addresses. */
export const sendConfirmations = (): Promise<unknown> => post(`${AUTH}/email/send`, {});
