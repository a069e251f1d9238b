import { type FindSessionOf, findCredential, type RefuseServiceAccount } from "../../access/credentials.js";
import { requireSameSite } from "../../access/cross-site.js";
import { type LivingSession, unauthenticated } from "../../access/session.js";
import { AppError } from "../../errors.js";
import type { Arrival } from "../../http/arrival.js";
import type { SignedIn } from "../sessions/begin-session.js";
import { changePassword, reauthenticate } from "../sessions/reauthenticate.js";
import { refresh } from "../sessions/refresh.js";
import { type SignInRequest, signIn } from "../sessions/sign-in.js";
import { signOut } from "../sessions/sign-out.js";
import { switchOrganization } from "../sessions/switch-organization.js";
import { requestChange } from "./change-email.js";
import { type AddressRequest, useAddressLink } from "./confirm-email.js";
import type { AccountsContext, Transport, Visit } from "./context.js";
import { followLink, type LinkRequest } from "./follow-link.js";
import { inspectLink } from "./inspect-link.js";
import { requireNoFaults } from "./refusals.js";
import { type RegisterRequest, register } from "./register.js";
import { type InvitedRequest, registerInvited } from "./register-invited.js";
import { admitReset, finishReset, requestReset } from "./reset-password.js";
import { sendConfirmations } from "./send-confirmations.js";

/** Outcome of an attempt to sign in: `limited` after too many failures. */
export type SignInResult = "succeeded" | "refused" | "limited";

export interface AccountsOptions extends AccountsContext {
  readonly findSessionOf: FindSessionOf;
  readonly refuseServiceAccount: RefuseServiceAccount;
  /** Called after every attempt to sign in. */
  readonly onSignIn: (result: SignInResult) => void;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Creates the functions that start, refresh and end users' sessions. */
export function createAccounts({
  findSessionOf,
  refuseServiceAccount,
  onSignIn,
  ...context
}: AccountsOptions) {
  const { site } = context.resources;

  /** Runs an attempt to sign in and counts its outcome. */
  const enter = async (
    arrival: Arrival,
    { transport }: { readonly transport: Transport },
    work: (visit: Visit) => Promise<SignedIn>,
  ): Promise<SignedIn> => {
    if (transport === "cookie" && !site.keepsCookies(arrival.incoming)) {
      const fault = `expected "bearer", got "cookie", which browsers keep only over https, or on 127.0.0.1 and localhost`;
      requireNoFaults({ transport: fault });
    }
    try {
      const signedIn = await work(visitOf(arrival));
      onSignIn("succeeded");
      return signedIn;
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === "INVALID_CREDENTIALS") onSignIn("refused");
      if (code === "RATE_LIMIT_EXCEEDED") onSignIn("limited");
      throw error;
    }
  };
  /**
   * Throws CSRF_REJECTED if a page of another site sent a request to start a session, and FORBIDDEN for a service
   * account.
   */
  const requireOwnSite = async ({ incoming, request }: Arrival): Promise<void> => {
    await refuseServiceAccount(incoming, request);
    requireSameSite(incoming, site, findCredential(incoming)?.kind === "cookie");
  };
  /** Returns the caller's session. Rejects with UNAUTHENTICATED if the caller has none, or if it has ended. */
  const requireSession = async ({ incoming, request }: Arrival): Promise<LivingSession> => {
    const session = await findSessionOf(incoming, request);
    if (session === null) throw unauthenticated("This needs a session, and there is none.");
    return session;
  };
  return {
    /** Throws BAD_REQUEST if the request has both an API key and a bearer token, and FORBIDDEN for a service account. */
    requireOneCredential: ({ incoming, request }: Arrival): Promise<void> =>
      refuseServiceAccount(incoming, request),
    requireOwnSite,
    requireSession,
    register: (body: RegisterRequest | InvitedRequest, arrival: Arrival) =>
      enter(arrival, body, (visit) =>
        "invitation" in body ? registerInvited(context, body, visit) : register(context, body, visit),
      ),
    signIn: (body: SignInRequest, arrival: Arrival) =>
      enter(arrival, body, (visit) => signIn(context, body, visit)),
    followLink: (body: LinkRequest, arrival: Arrival) =>
      enter(arrival, body, (visit) => followLink(context, body, visit)),
    inspectLink: (token: string, arrival: Arrival) => inspectLink(context, token, visitOf(arrival)),
    refresh: (refreshToken: string, arrival: Arrival) => refresh(context, refreshToken, visitOf(arrival)),
    /**
     * Ends the caller's session, or all of the user's sessions. Returns the number of ended sessions. `hasCookie` is
     * true if the response must clear the cookie.
     */
    async signOut(all: boolean, arrival: Arrival): Promise<{ ended: number; hasCookie: boolean }> {
      const credential = findCredential(arrival.incoming);
      const hasCookie = credential?.kind === "cookie";
      if (hasCookie) requireSameSite(arrival.incoming, site, true);
      const token = credential === null || credential.kind === "key" ? "" : credential.token;
      return { ended: await signOut(context, token, all, visitOf(arrival)), hasCookie };
    },
    reauthenticate: ({ session }: LivingSession, password: string, arrival: Arrival) =>
      reauthenticate(context, session, password, visitOf(arrival)),
    changePassword: (
      { session }: LivingSession,
      passwords: { readonly current: string; readonly next: string },
      arrival: Arrival,
    ) => changePassword(context, session, passwords, visitOf(arrival)),
    useAddressLink: (body: AddressRequest, arrival: Arrival) =>
      useAddressLink(context, body, () => requireSession(arrival), visitOf(arrival)),
    /** Runs the checks of `requireOwnSite`, and admits a request for a new password. */
    async admitReset(arrival: Arrival): Promise<void> {
      await requireOwnSite(arrival);
      await admitReset(context, visitOf(arrival));
    },
    requestReset: (email: string, arrival: Arrival) => requestReset(context, email, visitOf(arrival)),
    finishReset: (body: { readonly token: string; readonly password: string }, arrival: Arrival) =>
      finishReset(context, body, visitOf(arrival)),
    requestChange: ({ session }: LivingSession, email: string, arrival: Arrival) =>
      requestChange(context, session, email, visitOf(arrival)),
    sendConfirmations: ({ session }: LivingSession, arrival: Arrival) =>
      sendConfirmations(context, session, visitOf(arrival)),
    switchOrganization: ({ session }: LivingSession, slug: string, arrival: Arrival) =>
      switchOrganization(context, session, slug, visitOf(arrival)),
  };
}

const visitOf = ({ request, incoming }: Arrival): Visit => ({
  request,
  userAgent: incoming.headers["user-agent"],
});
