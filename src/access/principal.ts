import type { Actor } from "../data/database/transaction.js";
import type { OrganizationRow } from "../data/organizations/organizations.js";
import type { ServiceRole } from "../data/service-accounts/tokens.js";
import type { Role } from "../domain/people/roles.js";
import type { Scope } from "../domain/scopes.js";
import type { Policy, Tier } from "../domain/tiers.js";
import { AppError } from "../errors.js";
import type { PrincipalLog } from "../http/request-info.js";

/** The identity a request acts as: an API key, a service account, or a signed-in user. */
export interface Principal {
  /** Unique among all principals; requests are counted against the hourly limit under this id. */
  readonly id: string;
  /** The tenant whose data it reads. */
  readonly organization: OrganizationRow;
  readonly scopes: readonly Scope[];
  /** Name of the hourly limit. */
  readonly policy: Policy;
  /** Determines the maximum cost of one operation. */
  readonly tier: Tier;
  /** Null for an API key and a service account. */
  readonly person: Person | null;
  /** Null for an API key and a person. */
  readonly serviceAccount: ServiceAccount | null;
  /** The principal's fields in the access log. */
  readonly log: PrincipalLog;
}

/** A member of an organization that is not a person, with the token of the request. */
export interface ServiceAccount {
  readonly id: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly token: {
    readonly id: string;
    /** The prefix with the first and last four characters. */
    readonly display: string;
    readonly expiresAt: Date | null;
  };
}

/** A signed-in user, with the session. */
export interface Person {
  readonly user: User;
  /** Role in the session's active organization. */
  readonly role: Role;
  readonly session: {
    readonly id: string;
    readonly kind: "browser" | "token";
    readonly createdAt: Date;
    readonly expiresAt: Date;
    /** Time at which the user last authenticated, by any method. */
    readonly authenticatedAt: Date;
    /** Time at which the user last gave a second factor; null if none was given. */
    readonly factorAt: Date | null;
  } & SessionOrigin;
  /** Time from which an account is restricted until its e-mail address is confirmed; null once it is. */
  readonly restrictedFrom: Date | null;
  /** True if the user has an authenticator app or a passkey. */
  readonly hasFactor: boolean;
  readonly hasPassword: boolean;
  /** Time from which the session's organization requires a second factor; null if it does not. */
  readonly factorDueAt: Date | null;
  readonly isSuperAdmin: boolean;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Maximum time since the last authentication for a sensitive action. */
const RECENT_MS = 10 * 60_000;

/** Message for a service account that calls something only users may call. */
export const USERS_ONLY = "Only people can do this. A service account cannot, whatever its scopes.";

/** Returns the principal's user; throws UNAUTHENTICATED for an API key, and FORBIDDEN for a service account. */
export function requirePerson({
  person,
  serviceAccount,
}: Pick<Principal, "person" | "serviceAccount">): Person {
  if (person) return person;
  if (serviceAccount) throw new AppError("FORBIDDEN", USERS_ONLY);
  throw new AppError(
    "UNAUTHENTICATED",
    "Only people can do this. Sign in, and send the session's token instead of an API key.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

/** Returns the user or service account to name in the audit trail; throws UNAUTHENTICATED for an API key. */
export function requireActor(principal: Pick<Principal, "person" | "serviceAccount">): Actor {
  const { serviceAccount } = principal;
  if (serviceAccount) return { type: "service_account", id: serviceAccount.id };
  return { type: "user", id: requirePerson(principal).user.id };
}

/** Times at which a session's user proved their identity. */
export interface SessionProof {
  readonly session: Pick<Person["session"], "authenticatedAt" | "factorAt">;
  readonly hasFactor: boolean;
}

/**
 * Throws REAUTHENTICATION_REQUIRED unless the user has proved their identity within the last 10 minutes. Users with a
 * second factor must have given it; for others, any sign-in or the password counts.
 */
export function requireRecentProof({ session, hasFactor }: SessionProof, now: Date): void {
  const { factorAt, authenticatedAt } = session;
  const provenAt = hasFactor ? factorAt : authenticatedAt;
  if (provenAt !== null && Math.abs(now.getTime() - provenAt.getTime()) <= RECENT_MS) return;
  const proof = hasFactor
    ? "a code of your authenticator app, a recovery code or a passkey"
    : "your password";
  throw new AppError(
    "REAUTHENTICATION_REQUIRED",
    `Confirm that it is you: send ${proof} to POST /v1/auth/reauthenticate, then try again within 10 minutes. If you signed in with your organization's provider, signing in again also works.`,
  );
}

/** Origin of a session: whether a provider started it, and when the user last proved their identity to the gateway. */
export interface SessionOrigin {
  readonly isFromProvider: boolean;
  readonly provedAt: Date | null;
}

/**
 * Throws REAUTHENTICATION_REQUIRED if an organization's provider signed the user in, unless the user has proved their
 * identity to the gateway itself within the last 10 minutes. Requests about another organization or the whole account
 * need this: one organization's provider is not trusted with them.
 */
export function requireOwnProof({ isFromProvider, provedAt }: SessionOrigin, now: Date): void {
  if (!isFromProvider) return;
  if (provedAt !== null && Math.abs(now.getTime() - provedAt.getTime()) <= RECENT_MS) return;
  throw ownProofRequired(" within 10 minutes");
}

/**
 * Throws REAUTHENTICATION_REQUIRED if a provider signed the user in, unless the user has proved their identity to the
 * gateway itself at any time in this session. Access to another organization's verification requests needs this.
 */
export function requireOwnSession({ isFromProvider, provedAt }: SessionOrigin): void {
  if (isFromProvider && provedAt === null) throw ownProofRequired("");
}

const ownProofRequired = (limit: string): AppError =>
  new AppError(
    "REAUTHENTICATION_REQUIRED",
    `You signed in with one organization's provider. Send your password, an authenticator code, a recovery code or a passkey to POST /v1/auth/reauthenticate, then try again${limit}.`,
    { details: [{ path: "sso", message: "A sign-in with a provider does not count." }] },
  );

/**
 * Applies `requireOwnProof` to changes to how the user signs in. Accounts with neither a password nor a second factor
 * are exempt: their provider is their only proof.
 */
export function requireOwnProofIfPossible(
  session: SessionOrigin & { readonly user: { readonly hasFactor: boolean; readonly hasPassword: boolean } },
  now: Date,
): void {
  if (session.user.hasFactor || session.user.hasPassword) requireOwnProof(session, now);
}

/** Returns true if the user gave a second factor in the session. */
export const hasGivenFactor = ({ session }: Pick<SessionProof, "session">): boolean =>
  session.factorAt !== null;

/** Throws SECOND_FACTOR_REQUIRED if the session's organization requires a second factor and the session has none. */
export function requireFactorOfPolicy({ session, factorDueAt, hasFactor }: Person, now: Date): void {
  if (factorDueAt === null || now < factorDueAt || hasGivenFactor({ session })) return;
  throw factorRequired("Your organization requires a second factor.", hasFactor);
}

/** Creates SECOND_FACTOR_REQUIRED with a reason and the next step. */
export const factorRequired = (reason: string, hasFactor: boolean): AppError =>
  new AppError(
    "SECOND_FACTOR_REQUIRED",
    `${reason} ${hasFactor ? "Send yours to POST /v1/auth/reauthenticate." : "Add an authenticator app with POST /v1/auth/totp, or a passkey."}`,
  );
