import { type FindSessionOf, findCredential, type RefuseServiceAccount } from "../../access/credentials.js";
import { requireSameSite } from "../../access/cross-site.js";
import { requireOwnProofIfPossible } from "../../access/principal.js";
import { type ActiveSession, unauthenticated } from "../../access/session.js";
import type { FindConnectionOfDomain } from "../../data/sso/connection-lookup.js";
import { domainOf } from "../../domain/domains/domain-name.js";
import { startUriOf } from "../../domain/sso/sso-urls.js";
import { AppError } from "../../errors.js";
import type { IncomingCall } from "../../http/incoming-call.js";
import { type FactorRequest, finishSignIn, readSignInChallenge } from "../second-factors/finish-sign-in.js";
import { readOwnFactors, renewRecoveryCodes, summarizeFactors } from "../second-factors/own-factors.js";
import { confirmTotp, createTotp, removeTotp } from "../second-factors/totp.js";
import {
  changePasskeyName,
  enrolPasskey,
  removePasskey,
  removePassword,
  signInWithPasskey,
  startEnrolment,
  startPasskeySignIn,
  startReauthentication,
} from "../second-factors/use-passkeys.js";
import { changePassword, type Reauthentication, reauthenticate } from "../sessions/reauthenticate.js";
import { refresh } from "../sessions/refresh.js";
import { type SignInRequest, signIn } from "../sessions/sign-in.js";
import type { SignInOutcome } from "../sessions/sign-in-or-challenge.js";
import { type SignedOut, signOut } from "../sessions/sign-out.js";
import { switchOrganization } from "../sessions/switch-organization.js";
import { requireNoFaults } from "./account-errors.js";
import { requestEmailChange } from "./change-email.js";
import { type AddressRequest, useAddressLink } from "./confirm-email.js";
import type { AccountsContext, ClientInfo, Transport } from "./context.js";
import { disown } from "./disown.js";
import { followLink, type LinkRequest } from "./follow-link.js";
import { inspectLink } from "./inspect-link.js";
import { type RegisterRequest, register } from "./register.js";
import { type InvitedRequest, registerInvited } from "./register-invited.js";
import { admitReset, finishReset, type ResetRequest, requestReset } from "./reset-password.js";
import { sendConfirmations } from "./send-confirmations.js";

/** Ways to sign in with an e-mail address. */
export interface StartMethods {
  readonly methods: readonly ("sso" | "password" | "passkey")[];
  readonly sso: { readonly url: string } | null;
}

export interface AccountsOptions extends AccountsContext {
  readonly findSessionOf: FindSessionOf;
  readonly refuseServiceAccount: RefuseServiceAccount;
  readonly findConnectionOfDomain: FindConnectionOfDomain;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Creates the functions that manage users' sessions and sign-in methods. */
export function createAccounts({
  findSessionOf,
  refuseServiceAccount,
  findConnectionOfDomain,
  ...context
}: AccountsOptions) {
  const { resources, onSignIn } = context;
  const { site } = resources;
  const clientInfoOf = ({ request, incoming }: IncomingCall): ClientInfo => ({
    request,
    userAgent: incoming.headers["user-agent"],
    party: site.party(incoming),
  });

  /** Runs a sign-in attempt and counts its outcome. */
  const attemptSignIn = async <Outcome extends SignInOutcome>(
    incomingCall: IncomingCall,
    { transport }: { readonly transport?: Transport | undefined },
    work: (client: ClientInfo) => Promise<Outcome>,
  ): Promise<Outcome> => {
    if (transport === "cookie" && !site.keepsCookies(incomingCall.incoming)) {
      const fault = `expected "bearer", got "cookie". Browsers keep the cookie only over https, or on 127.0.0.1 and localhost`;
      requireNoFaults({ transport: fault });
    }
    try {
      const outcome = await work(clientInfoOf(incomingCall));
      if ("session" in outcome) onSignIn("succeeded");
      return outcome;
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === "INVALID_CREDENTIALS") onSignIn("refused");
      if (code === "RATE_LIMIT_EXCEEDED") onSignIn("limited");
      throw error;
    }
  };
  /**
   * Throws CSRF_REJECTED if another site's page sent a request to start a session. Also throws the errors of
   * `requireOneCredential`.
   */
  const requireOwnSite = async ({ incoming, request }: IncomingCall): Promise<void> => {
    await refuseServiceAccount(incoming, request);
    requireSameSite(incoming, site, findCredential(incoming)?.kind === "cookie");
  };
  /** Returns the caller's session. Rejects with UNAUTHENTICATED if the caller has none, or if it has ended. */
  const requireSession = async ({ incoming, request }: IncomingCall): Promise<ActiveSession> => {
    const session = await findSessionOf(incoming, request);
    if (session === null) throw unauthenticated("This needs a session. Sign in first.");
    return session;
  };
  return {
    /**
     * Throws BAD_REQUEST if the request has both an API key and a bearer token, and FORBIDDEN for a service account.
     */
    requireOneCredential: ({ incoming, request }: IncomingCall): Promise<void> =>
      refuseServiceAccount(incoming, request),
    requireOwnSite,
    requireSession,
    register: (body: RegisterRequest | InvitedRequest, incomingCall: IncomingCall) =>
      attemptSignIn(incomingCall, body, (client) =>
        "invitation" in body ? registerInvited(context, body, client) : register(context, body, client),
      ),
    signIn: (body: SignInRequest, incomingCall: IncomingCall) =>
      attemptSignIn(incomingCall, body, (client) => signIn(context, body, client)),
    followLink: (body: LinkRequest, incomingCall: IncomingCall) =>
      attemptSignIn(incomingCall, body, (client) => followLink(context, body, client)),
    /**
     * Returns the ways to sign in with an e-mail address. They depend on its domain and the client's page alone, so
     * they do not reveal who has an account.
     */
    async start(email: string, { incoming, request }: IncomingCall): Promise<StartMethods> {
      const domain = domainOf(email);
      const connection =
        domain === undefined ? null : await request.inTime(() => findConnectionOfDomain(domain));
      const own = ["password" as const, ...(site.party(incoming) === null ? [] : ["passkey" as const])];
      if (connection === null) return { methods: own, sso: null };
      const url = startUriOf(site.url(), connection.id);
      return { methods: connection.isEnforced ? ["sso"] : ["sso", ...own], sso: { url } };
    },
    finishSignIn: (body: FactorRequest, incomingCall: IncomingCall) =>
      attemptSignIn(incomingCall, body, (client) => finishSignIn(context, body, client)),
    readSignInChallenge: (challenge: string, incomingCall: IncomingCall) =>
      readSignInChallenge(context, challenge, clientInfoOf(incomingCall)),
    async describeFactors({ session }: ActiveSession, incomingCall: IncomingCall) {
      const factors = await readOwnFactors(context, session, clientInfoOf(incomingCall));
      return { ...summarizeFactors(factors), passkeysAvailable: site.party(incomingCall.incoming) !== null };
    },
    createTotp: (active: ActiveSession, incomingCall: IncomingCall) =>
      createTotp(context, provenSession(active, incomingCall), clientInfoOf(incomingCall)),
    confirmTotp: ({ session }: ActiveSession, code: string, incomingCall: IncomingCall) =>
      confirmTotp(context, session, code, clientInfoOf(incomingCall)),
    removeTotp: (active: ActiveSession, incomingCall: IncomingCall) =>
      removeTotp(context, provenSession(active, incomingCall), clientInfoOf(incomingCall)),
    startEnrolment: (active: ActiveSession, incomingCall: IncomingCall) =>
      startEnrolment(context, provenSession(active, incomingCall), clientInfoOf(incomingCall)),
    enrolPasskey: (
      active: ActiveSession,
      body: Parameters<typeof enrolPasskey>[2],
      incomingCall: IncomingCall,
    ) => enrolPasskey(context, provenSession(active, incomingCall), body, clientInfoOf(incomingCall)),
    renamePasskey: (
      { session }: ActiveSession,
      passkey: { readonly id: string; readonly name: string },
      incomingCall: IncomingCall,
    ) => changePasskeyName(context, session, passkey, clientInfoOf(incomingCall)),
    removePasskey: (active: ActiveSession, id: string, incomingCall: IncomingCall) =>
      removePasskey(context, provenSession(active, incomingCall), id, clientInfoOf(incomingCall)),
    removePassword: (active: ActiveSession, incomingCall: IncomingCall) =>
      removePassword(context, provenSession(active, incomingCall), clientInfoOf(incomingCall)),
    startReauthentication: ({ session }: ActiveSession, incomingCall: IncomingCall) =>
      startReauthentication(context, session, clientInfoOf(incomingCall)),
    startPasskeySignIn: (incomingCall: IncomingCall) =>
      startPasskeySignIn(context, clientInfoOf(incomingCall)),
    signInWithPasskey: (body: Parameters<typeof signInWithPasskey>[1], incomingCall: IncomingCall) =>
      attemptSignIn(incomingCall, body, (client) => signInWithPasskey(context, body, client)),
    renewRecoveryCodes: (active: ActiveSession, incomingCall: IncomingCall) =>
      renewRecoveryCodes(context, provenSession(active, incomingCall), clientInfoOf(incomingCall)),
    inspectLink: (token: string, incomingCall: IncomingCall) =>
      inspectLink(context, token, clientInfoOf(incomingCall)),
    disown: (token: string, incomingCall: IncomingCall) => disown(context, token, clientInfoOf(incomingCall)),
    refresh: (refreshToken: string, incomingCall: IncomingCall) =>
      refresh(context, refreshToken, clientInfoOf(incomingCall)),
    /**
     * Ends the caller's session, or all of the user's sessions. `hasCookie` is true if the response must clear the
     * cookie.
     */
    async signOut(all: boolean, incomingCall: IncomingCall): Promise<SignedOut & { hasCookie: boolean }> {
      const credential = findCredential(incomingCall.incoming);
      const hasCookie = credential?.kind === "cookie";
      if (hasCookie) requireSameSite(incomingCall.incoming, site, true);
      const token = credential === null || credential.kind === "key" ? "" : credential.token;
      return { ...(await signOut(context, token, all, clientInfoOf(incomingCall))), hasCookie };
    },
    reauthenticate: ({ session }: ActiveSession, proof: Reauthentication, incomingCall: IncomingCall) =>
      reauthenticate(context, session, proof, clientInfoOf(incomingCall)),
    changePassword: (
      { session }: ActiveSession,
      passwords: { readonly current: string; readonly next: string },
      incomingCall: IncomingCall,
    ) => changePassword(context, session, passwords, clientInfoOf(incomingCall)),
    useAddressLink: (body: AddressRequest, incomingCall: IncomingCall) =>
      useAddressLink(context, body, () => requireSession(incomingCall), clientInfoOf(incomingCall)),
    /** Checks the request as `requireOwnSite` does, then admits a request for a new password. */
    async admitReset(incomingCall: IncomingCall): Promise<void> {
      await requireOwnSite(incomingCall);
      await admitReset(context, clientInfoOf(incomingCall));
    },
    requestReset: (email: string, incomingCall: IncomingCall) =>
      requestReset(context, email, clientInfoOf(incomingCall)),
    finishReset: (body: ResetRequest, incomingCall: IncomingCall) =>
      finishReset(context, body, clientInfoOf(incomingCall)),
    requestEmailChange: (active: ActiveSession, email: string, incomingCall: IncomingCall) =>
      requestEmailChange(context, provenSession(active, incomingCall), email, clientInfoOf(incomingCall)),
    sendConfirmations: ({ session }: ActiveSession, incomingCall: IncomingCall) =>
      sendConfirmations(context, session, clientInfoOf(incomingCall)),
    switchOrganization: ({ session }: ActiveSession, slug: string, incomingCall: IncomingCall) =>
      switchOrganization(context, session, slug, clientInfoOf(incomingCall)),
  };
}

/** Returns the session. Throws the error of `requireOwnProofIfPossible`. */
function provenSession({ session }: ActiveSession, { request }: IncomingCall): ActiveSession["session"] {
  requireOwnProofIfPossible(session, request.now);
  return session;
}
