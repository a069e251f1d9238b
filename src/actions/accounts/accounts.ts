import { type FindSessionOf, findCredential, type RefuseServiceAccount } from "../../access/credentials.js";
import { requireSameSite } from "../../access/cross-site.js";
import { requireOwnWord } from "../../access/principal.js";
import { type LivingSession, unauthenticated } from "../../access/session.js";
import type { FindConnectionOfDomain } from "../../data/sso/remembered-domains.js";
import { domainOf } from "../../domain/domains/domain-name.js";
import { startUriOf } from "../../domain/sso/addresses.js";
import { AppError } from "../../errors.js";
import type { Arrival } from "../../http/arrival.js";
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
import type { SignInOutcome } from "../sessions/enter.js";
import { changePassword, type Reauthentication, reauthenticate } from "../sessions/reauthenticate.js";
import { refresh } from "../sessions/refresh.js";
import { type SignInRequest, signIn } from "../sessions/sign-in.js";
import { type SignedOut, signOut } from "../sessions/sign-out.js";
import { switchOrganization } from "../sessions/switch-organization.js";
import { requireNoFaults } from "./account-errors.js";
import { requestChange } from "./change-email.js";
import { type AddressRequest, useAddressLink } from "./confirm-email.js";
import type { AccountsContext, Transport, Visit } from "./context.js";
import { followLink, type LinkRequest } from "./follow-link.js";
import { inspectLink } from "./inspect-link.js";
import { type RegisterRequest, register } from "./register.js";
import { type InvitedRequest, registerInvited } from "./register-invited.js";
import { admitReset, finishReset, requestReset } from "./reset-password.js";
import { sendConfirmations } from "./send-confirmations.js";

/** Outcome of an attempt to sign in: `limited` after too many failures. */
export type SignInResult = "succeeded" | "refused" | "limited";

/** The ways to sign in with an e-mail address. */
export interface StartMethods {
  readonly methods: readonly ("sso" | "password" | "passkey")[];
  readonly sso: { readonly url: string } | null;
}

export interface AccountsOptions extends AccountsContext {
  readonly findSessionOf: FindSessionOf;
  readonly refuseServiceAccount: RefuseServiceAccount;
  readonly findConnectionOfDomain: FindConnectionOfDomain;
  /** Called after every attempt to sign in. */
  readonly onSignIn: (result: SignInResult) => void;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Creates the functions that start, refresh and end users' sessions. */
export function createAccounts({
  findSessionOf,
  refuseServiceAccount,
  findConnectionOfDomain,
  onSignIn,
  ...context
}: AccountsOptions) {
  const { site } = context.resources;
  const visitOf = ({ request, incoming }: Arrival): Visit => ({
    request,
    userAgent: incoming.headers["user-agent"],
    party: site.party(incoming),
  });

  /** Runs an attempt to sign in and counts its outcome. */
  const enter = async <Outcome extends SignInOutcome>(
    arrival: Arrival,
    { transport }: { readonly transport?: Transport | undefined },
    work: (visit: Visit) => Promise<Outcome>,
  ): Promise<Outcome> => {
    if (transport === "cookie" && !site.keepsCookies(arrival.incoming)) {
      const fault = `expected "bearer", got "cookie", which browsers keep only over https, or on 127.0.0.1 and localhost`;
      requireNoFaults({ transport: fault });
    }
    try {
      const outcome = await work(visitOf(arrival));
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
    /** Returns the ways to sign in with an e-mail address. Depends on its domain alone, not on who has an account. */
    async start(email: string, { incoming, request }: Arrival): Promise<StartMethods> {
      const domain = domainOf(email);
      const connection =
        domain === undefined ? null : await request.inTime(() => findConnectionOfDomain(domain));
      const own = ["password" as const, ...(site.party(incoming) === null ? [] : ["passkey" as const])];
      if (connection === null) return { methods: own, sso: null };
      const url = startUriOf(site.url(), connection.id);
      return { methods: connection.isEnforced ? ["sso"] : ["sso", ...own], sso: { url } };
    },
    finishSignIn: (body: FactorRequest, arrival: Arrival) =>
      enter(arrival, body, (visit) => finishSignIn(context, body, visit)),
    readSignInChallenge: (challenge: string, arrival: Arrival) =>
      readSignInChallenge(context, challenge, visitOf(arrival)),
    async describeFactors({ session }: LivingSession, arrival: Arrival) {
      const factors = await readOwnFactors(context, session, visitOf(arrival));
      return { ...summarizeFactors(factors), passkeysAvailable: site.party(arrival.incoming) !== null };
    },
    createTotp: (living: LivingSession, arrival: Arrival) =>
      createTotp(context, ownWord(living, arrival), visitOf(arrival)),
    confirmTotp: ({ session }: LivingSession, code: string, arrival: Arrival) =>
      confirmTotp(context, session, code, visitOf(arrival)),
    removeTotp: (living: LivingSession, arrival: Arrival) =>
      removeTotp(context, ownWord(living, arrival), visitOf(arrival)),
    startEnrolment: (living: LivingSession, arrival: Arrival) =>
      startEnrolment(context, ownWord(living, arrival), visitOf(arrival)),
    enrolPasskey: (living: LivingSession, body: Parameters<typeof enrolPasskey>[2], arrival: Arrival) =>
      enrolPasskey(context, ownWord(living, arrival), body, visitOf(arrival)),
    renamePasskey: (
      { session }: LivingSession,
      passkey: { readonly id: string; readonly name: string },
      arrival: Arrival,
    ) => changePasskeyName(context, session, passkey, visitOf(arrival)),
    removePasskey: (living: LivingSession, id: string, arrival: Arrival) =>
      removePasskey(context, ownWord(living, arrival), id, visitOf(arrival)),
    removePassword: (living: LivingSession, arrival: Arrival) =>
      removePassword(context, ownWord(living, arrival), visitOf(arrival)),
    startReauthentication: ({ session }: LivingSession, arrival: Arrival) =>
      startReauthentication(context, session, visitOf(arrival)),
    startPasskeySignIn: (arrival: Arrival) => startPasskeySignIn(context, visitOf(arrival)),
    signInWithPasskey: (body: Parameters<typeof signInWithPasskey>[1], arrival: Arrival) =>
      enter(arrival, body, (visit) => signInWithPasskey(context, body, visit)),
    renewRecoveryCodes: (living: LivingSession, arrival: Arrival) =>
      renewRecoveryCodes(context, ownWord(living, arrival), visitOf(arrival)),
    inspectLink: (token: string, arrival: Arrival) => inspectLink(context, token, visitOf(arrival)),
    refresh: (refreshToken: string, arrival: Arrival) => refresh(context, refreshToken, visitOf(arrival)),
    /**
     * Ends the caller's session, or all of the user's sessions. `hasCookie` is true if the response must clear the
     * cookie.
     */
    async signOut(all: boolean, arrival: Arrival): Promise<SignedOut & { hasCookie: boolean }> {
      const credential = findCredential(arrival.incoming);
      const hasCookie = credential?.kind === "cookie";
      if (hasCookie) requireSameSite(arrival.incoming, site, true);
      const token = credential === null || credential.kind === "key" ? "" : credential.token;
      return { ...(await signOut(context, token, all, visitOf(arrival))), hasCookie };
    },
    reauthenticate: ({ session }: LivingSession, proof: Reauthentication, arrival: Arrival) =>
      reauthenticate(context, session, proof, visitOf(arrival)),
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
    requestChange: (living: LivingSession, email: string, arrival: Arrival) =>
      requestChange(context, ownWord(living, arrival), email, visitOf(arrival)),
    sendConfirmations: ({ session }: LivingSession, arrival: Arrival) =>
      sendConfirmations(context, session, visitOf(arrival)),
    switchOrganization: ({ session }: LivingSession, slug: string, arrival: Arrival) =>
      switchOrganization(context, session, slug, visitOf(arrival)),
  };
}

/** Returns a session in which the user may change what the account is entered by. */
function ownWord({ session }: LivingSession, { request }: Arrival): LivingSession["session"] {
  requireOwnWord(session, request.now);
  return session;
}
