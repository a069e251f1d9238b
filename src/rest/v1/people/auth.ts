import type { z } from "zod";
import { clearSessionCookie, setSessionCookie } from "../../../access/credentials.js";
import type { Accounts } from "../../../actions/accounts/accounts.js";
import type { SignInChallenge } from "../../../actions/second-factors/challenges.js";
import type { SignedIn } from "../../../actions/sessions/begin-session.js";
import type { SignInOutcome } from "../../../actions/sessions/sign-in-or-challenge.js";
import type { IssuedSession } from "../../../actions/sessions/tokens.js";
import { ROLE_SCOPES } from "../../../domain/people/roles.js";
import type { Reply, SessionEndpoint } from "../../endpoint.js";
import { ADDITION_EXAMPLE, describeAdditions, describeLeft } from "./addition-shapes.js";
import { answers, bodies, PASSKEY_OPTIONS, passkeyOptions } from "./auth-shapes.js";
import { endpointsWith } from "./session-endpoint.js";

/** Creates the endpoints for registration, sessions, passwords and e-mail addresses. */
export function createAuthEndpoints(accounts: Accounts): SessionEndpoint[] {
  const forAnybody = endpointsWith(false, accounts.requireOneCredential);
  const forVisitors = endpointsWith(false, accounts.requireOwnSite);
  const forReset = endpointsWith(false, accounts.admitReset);
  const forPeople = endpointsWith(true, accounts.requireSession);

  return [
    forVisitors({
      path: "/auth/register",
      summary: "Registers an account, or accepts an invitation with an existing account",
      body: bodies.register,
      data: answers.entered,
      example: EXAMPLE,
      creates: "sometimes",
      setsCookie: true,
      failures: ["INVALID_CREDENTIALS", "FORBIDDEN", "NOT_FOUND", "CONFLICT", "RATE_LIMIT_EXCEEDED"],
      async handle(body, incomingCall) {
        const outcome = await accounts.register(body, incomingCall);
        const reply = replyEntered(outcome);
        if ("challenge" in outcome) return reply;
        const Location = incomingCall.path.replace(/register\/?$/, "me");
        return { ...reply, status: 201, headers: { ...reply.headers, Location } };
      },
    }),
    forVisitors({
      path: "/auth/start",
      summary: "Returns the ways to sign in with an e-mail address. The answer depends only on its domain",
      setsCookie: false,
      failures: ["CSRF_REJECTED"],
      body: bodies.start,
      data: answers.start,
      example: { methods: ["password", "passkey"], sso: null },
      handle: async ({ email }, incomingCall) => ({ data: await accounts.start(email, incomingCall) }),
    }),
    forVisitors({
      path: "/auth/login",
      summary: "Signs in with an e-mail address and a password",
      setsCookie: true,
      failures: ["INVALID_CREDENTIALS", "CSRF_REJECTED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.login,
      data: answers.entered,
      example: EXAMPLE,
      handle: async (body, incomingCall) => replyEntered(await accounts.signIn(body, incomingCall)),
    }),
    forVisitors({
      path: "/auth/login/factor",
      summary: "Completes a sign-in with the requested second factor",
      setsCookie: true,
      failures: [
        "INVALID_CREDENTIALS",
        "CSRF_REJECTED",
        "NOT_FOUND",
        "OPERATOR_REQUIRED",
        "RATE_LIMIT_EXCEEDED",
      ],
      body: bodies.factor,
      data: answers.signedIn,
      example: EXAMPLE,
      handle: async (body, incomingCall) => replySignedIn(await accounts.finishSignIn(body, incomingCall)),
    }),
    forVisitors({
      path: "/auth/login/factor/options",
      summary: "Returns the second factors accepted for a challenge, such as one from single sign-on",
      setsCookie: false,
      failures: ["INVALID_CREDENTIALS", "CSRF_REJECTED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.challenge,
      data: answers.challenge,
      example: {
        challenge: {
          token: "cgw_chl_…",
          expires_in: 290,
          methods: ["totp", "recovery_code"],
          passkey: null,
        },
      },
      handle: async ({ challenge }, incomingCall) => ({
        data: { challenge: describeChallenge(await accounts.readSignInChallenge(challenge, incomingCall)) },
      }),
    }),
    forVisitors({
      path: "/auth/login/passkey/options",
      summary: "Returns the options for signing in with only a passkey, which are the same for everyone",
      setsCookie: false,
      failures: ["CSRF_REJECTED", "CONFLICT"],
      body: bodies.empty.default({}),
      data: passkeyOptions,
      example: PASSKEY_OPTIONS,
      handle: async (_body, incomingCall) => ({ data: await accounts.startPasskeySignIn(incomingCall) }),
    }),
    forVisitors({
      path: "/auth/login/passkey",
      summary: "Signs in with only a passkey, which verifies you by PIN or biometrics",
      setsCookie: true,
      failures: ["INVALID_CREDENTIALS", "CSRF_REJECTED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.passkeySignIn,
      data: answers.signedIn,
      example: EXAMPLE,
      handle: async (body, incomingCall) =>
        replySignedIn(await accounts.signInWithPasskey(body, incomingCall)),
    }),
    forVisitors({
      path: "/auth/link",
      summary: "Signs in with a link",
      setsCookie: true,
      failures: ["INVALID_CREDENTIALS", "CSRF_REJECTED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.link,
      data: answers.linked,
      example: EXAMPLE,
      async handle({ remove_added: removesAdded, ...body }, incomingCall) {
        const outcome = await accounts.followLink({ ...body, removesAdded }, incomingCall);
        const reply = replyEntered(outcome);
        const { removed } = outcome;
        return removed === undefined
          ? reply
          : { ...reply, data: { ...(reply.data as object), removed: describeAdditions(removed) } };
      },
    }),
    forVisitors({
      path: "/auth/link/inspect",
      summary:
        "Returns the account of a mailed link, a sign-in link or an invitation, and what the link removes, without using it",
      setsCookie: false,
      failures: ["FORBIDDEN", "LINK_EXPIRED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.inspection,
      data: answers.link,
      example: {
        kind: "invitation",
        email: "ada@example.org",
        organization: ORGANIZATION.name,
        role: "editor",
        inviter: "Grace Person",
        additions: [],
        to_review: [],
        password_delay_hours: 0,
        password_link_at: null,
      },
      async handle({ token }, incomingCall) {
        const { additions, left, holdHours, heldUntil, ...link } = await accounts.inspectLink(
          token,
          incomingCall,
        );
        const removable = { additions: describeAdditions(additions), to_review: describeLeft(left) };
        const data = { ...link, ...removable, password_delay_hours: holdHours, password_link_at: heldUntil };
        return { data };
      },
    }),
    forVisitors({
      path: "/auth/disown",
      summary:
        "Removes what an e-mail reported as added to your account, with its link, and ends all sessions",
      setsCookie: false,
      failures: ["CSRF_REJECTED", "LINK_EXPIRED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.disown,
      data: answers.disowned,
      example: {
        removed: [ADDITION_EXAMPLE],
        ended_sessions: 1,
        password_removed: false,
        password_link_at: null,
      },
      async handle({ token }, incomingCall) {
        const { removed, endedSessions, isPasswordRemoved, passwordLinkAt } = await accounts.disown(
          token,
          incomingCall,
        );
        return {
          data: {
            removed: describeAdditions(removed),
            ended_sessions: endedSessions,
            password_removed: isPasswordRemoved,
            password_link_at: passwordLinkAt,
          },
        };
      },
    }),
    forReset({
      path: "/auth/password-reset",
      summary:
        "Sends a link for a new password, if the address has an account. The response is the same either way",
      setsCookie: false,
      isAccepted: true,
      failures: ["CSRF_REJECTED", "OPERATOR_REQUIRED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.email,
      data: answers.nothing,
      example: {},
      async handle({ email }, incomingCall) {
        await accounts.requestReset(email, incomingCall);
        return { data: {}, status: 202 };
      },
    }),
    forVisitors({
      path: "/auth/password-reset/finish",
      summary:
        "Sets a new password with a link, and ends all sessions. Optionally removes what was added to the account in the last 7 days",
      setsCookie: false,
      failures: ["CSRF_REJECTED", "LINK_EXPIRED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.reset,
      data: answers.reset,
      example: { ended_sessions: 2 },
      async handle({ remove_added: removesAdded, ...body }, incomingCall) {
        const result = await accounts.finishReset({ ...body, removesAdded }, incomingCall);
        const { endedSessions, removed, passwordLinkAt } = result;
        const isMore = removesAdded || passwordLinkAt !== null;
        const more = { removed: describeAdditions(removed), password_link_at: passwordLinkAt };
        return { data: { ended_sessions: endedSessions, ...(isMore && more) } };
      },
    }),
    forAnybody({
      path: "/auth/refresh",
      summary: "Replaces the tokens of a session",
      setsCookie: false,
      failures: ["REFRESH_TOKEN_REUSED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.refresh,
      data: answers.session,
      example: { session: EXAMPLE.session },
      handle: async ({ refresh_token: token }, incomingCall) =>
        replySession(await accounts.refresh(token, incomingCall)),
    }),
    forAnybody({
      path: "/auth/logout",
      summary: "Signs out",
      setsCookie: true,
      failures: ["CSRF_REJECTED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.logout.default({ all: false }),
      data: answers.signedOut,
      example: { ended_sessions: 1, provider_logout_url: null },
      async handle({ all }, incomingCall) {
        const { ended, providerLogoutUrl, hasCookie } = await accounts.signOut(all, incomingCall);
        const data = { ended_sessions: ended, provider_logout_url: providerLogoutUrl };
        return hasCookie ? { data, headers: clearSessionCookie() } : { data };
      },
    }),
    forPeople({
      path: "/auth/reauthenticate",
      summary: "Repeats the second factor (or the password, without one) before a sensitive change",
      setsCookie: true,
      failures: ["OPERATOR_REQUIRED"],
      body: bodies.reauthenticate,
      data: answers.session,
      example: { session: EXAMPLE.session },
      handle: async (body, incomingCall, session) =>
        replySession(await accounts.reauthenticate(session, body, incomingCall)),
    }),
    forPeople({
      path: "/auth/reauthenticate/options",
      summary: "Returns the options for repeating a passkey",
      setsCookie: false,
      failures: ["CONFLICT"],
      body: bodies.empty.default({}),
      data: passkeyOptions,
      example: PASSKEY_OPTIONS,
      handle: async (_body, incomingCall, session) => ({
        data: await accounts.startReauthentication(session, incomingCall),
      }),
    }),
    forPeople({
      method: "DELETE",
      path: "/auth/password",
      summary: "Removes your password, to sign in only with passkeys, and ends your other sessions",
      setsCookie: false,
      failures: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "CONFLICT"],
      data: answers.nothing,
      example: {},
      async handle(_body, incomingCall, session) {
        await accounts.removePassword(session, incomingCall);
        return { data: {} };
      },
    }),
    forPeople({
      path: "/auth/password",
      summary: "Changes your password, and ends your other sessions",
      setsCookie: true,
      failures: ["REAUTHENTICATION_REQUIRED"],
      body: bodies.password,
      data: answers.session,
      example: { session: EXAMPLE.session },
      handle: async ({ current, new: next }, incomingCall, session) =>
        replySession(await accounts.changePassword(session, { current, next }, incomingCall)),
    }),
    forVisitors({
      path: "/auth/email/confirm",
      summary: "Confirms an e-mail address with a link sent to it, or cancels a change of address",
      setsCookie: false,
      failures: ["INVALID_CREDENTIALS", "CSRF_REJECTED", "CONFLICT", "LINK_EXPIRED", "RATE_LIMIT_EXCEEDED"],
      body: bodies.confirmation,
      data: answers.confirmed,
      example: { email: "ada@example.org" },
      async handle(body, incomingCall) {
        const { email, removed, left } = await accounts.useAddressLink(body, incomingCall);
        if (removed === null) return { data: { email } };
        return { data: { email, removed: describeAdditions(removed), to_review: describeLeft(left) } };
      },
    }),
    forPeople({
      path: "/auth/email",
      summary:
        "Requests a change of your e-mail address: sends a link that confirms the new address, and one that cancels the change to the current address if it is confirmed",
      setsCookie: false,
      isAccepted: true,
      failures: ["OPERATOR_REQUIRED", "REAUTHENTICATION_REQUIRED", "CONFLICT"],
      body: bodies.email,
      data: answers.nothing,
      example: {},
      async handle({ email }, incomingCall, session) {
        await accounts.requestEmailChange(session, email, incomingCall);
        return { data: {}, status: 202 };
      },
    }),
    forPeople({
      path: "/auth/email/send",
      summary: "Sends links that confirm your unconfirmed e-mail addresses; at most three an hour to each",
      setsCookie: false,
      isAccepted: true,
      failures: ["OPERATOR_REQUIRED"],
      body: bodies.empty.default({}),
      data: answers.unconfirmed,
      example: { unconfirmed: ["ada@example.org"] },
      async handle(_body, incomingCall, session) {
        return {
          data: { unconfirmed: await accounts.sendConfirmations(session, incomingCall) },
          status: 202,
        };
      },
    }),
    forPeople({
      path: "/auth/organization",
      summary: "Switches to another of your organizations",
      setsCookie: false,
      failures: ["NOT_FOUND"],
      body: bodies.organization,
      data: answers.organization,
      example: { organization: ORGANIZATION, role: "viewer", scopes: [...ROLE_SCOPES.viewer] },
      async handle({ slug }, incomingCall, session) {
        const { role, ...organization } = await accounts.switchOrganization(session, slug, incomingCall);
        return { data: { organization, role, scopes: ROLE_SCOPES[role] } };
      },
    }),
  ];
}

const replyEntered = (outcome: SignInOutcome): Reply => {
  if ("session" in outcome) return replySignedIn(outcome);
  const challenge = describeChallenge(outcome.challenge);
  return { data: { user: null, organization: null, session: null, challenge } };
};

const describeChallenge = ({ expiresIn, ...rest }: SignInChallenge) => ({ ...rest, expires_in: expiresIn });

const replySignedIn = ({ user, organization, session }: SignedIn): Reply => {
  const { createdAt, ...rest } = user;
  const { data, headers } = describeSession(session);
  return { data: { user: { ...rest, created_at: createdAt }, organization, session: data }, headers };
};

const replySession = (session: IssuedSession): Reply => {
  const { data, headers } = describeSession(session);
  return { data: { session: data }, headers };
};

/** Describes a session for the response, with its tokens in the body or in a cookie. */
function describeSession({ id, token, expiresIn, refreshToken, refreshExpiresIn }: IssuedSession) {
  if (refreshToken === null) {
    return { data: { id, expires_in: expiresIn }, headers: setSessionCookie(token, expiresIn) };
  }
  const tokens = { access_token: token, token_type: "Bearer", expires_in: expiresIn };
  const refresh = { refresh_token: refreshToken, refresh_expires_in: refreshExpiresIn };
  return { data: { id, ...tokens, ...refresh }, headers: {} };
}

const ORGANIZATION = { id: "c1b6a1de-52a5-4f5b-8f2e-2d2c5a0f9e77", slug: "acme", name: "Acme" };
const EXAMPLE: z.infer<typeof answers.signedIn> = {
  user: {
    id: "7b0e4f0c-6f0b-4a8f-9d53-0a4f5c6f3b11",
    email: "ada@example.org",
    name: "Ada Person",
    created_at: "2026-11-20T10:00:00.000Z",
  },
  organization: ORGANIZATION,
  session: {
    id: "f3a1d7c2-0c5b-4b43-9a57-5d8f3b1e6a20",
    access_token: "cgw_ses_…",
    token_type: "Bearer",
    expires_in: 900,
    refresh_token: "cgw_ref_…",
    refresh_expires_in: 604_800,
  },
};
