import type { Cache } from "../data/cache/cache.js";
import type { Computed } from "../data/cache/computations.js";
import type { Database } from "../data/database/types.js";
import type { OrganizationRow } from "../data/organizations/organizations.js";
import {
  findSessionById,
  findSessionByToken,
  SESSION_TABLES,
  type StoredSession,
  sizeOfSession,
} from "../data/people/sessions.js";
import { ROLE_SCOPES, type Role } from "../domain/people/roles.js";
import type { Scope } from "../domain/scopes.js";
import { AppError, tooMany } from "../errors.js";
import type { Caller, CountFailure } from "./authenticate.js";
import type { Person, Principal } from "./principal.js";
import { listHashes, type Pepper } from "./secrets/api-key.js";
import { isToken } from "./secrets/token.js";

/** Idle time after which a browser's session ends. */
export const BROWSER_IDLE_MS = 60 * 60_000;

/** A cached session, with its principal if its organization is known; null for an unknown token. */
export type KnownSession = { readonly session: StoredSession; readonly principal: Principal | null } | null;

/** Returns the memory that a cached session takes, in bytes. */
export const sizeOfKnownSession = (known: KnownSession): number =>
  known === null ? 0 : sizeOfSession(known.session);

export interface SessionOptions {
  readonly database: Database;
  readonly sessions: Cache<KnownSession>;
  /** Peppers that tokens may have been hashed with. */
  readonly peppers: readonly Pepper[];
  readonly countFailure: CountFailure;
  /** Called for every use of an active session. */
  readonly noteUse: (session: StoredSession, now: Date) => void;
}

/** An active session. */
export type LivingSession = NonNullable<KnownSession>;

/**
 * Returns the session of an access token or a cookie. Rejects with UNAUTHENTICATED if it does not exist or has ended,
 * and with RATE_LIMIT_EXCEEDED once an address has failed too often.
 */
export type FindSession = (token: string, caller: Caller) => Promise<LivingSession>;

/** Creates the one function that decides whether a session is active. */
export function createFindSession(options: SessionOptions): FindSession {
  const { database, sessions, peppers, countFailure, noteUse } = options;
  const find = async (hashes: readonly string[]): Promise<Computed<KnownSession>> => {
    const session = await findSessionByToken(database, hashes);
    if (session === null) return { value: null, basis: null };
    const basis = {
      // Without an organization, only changes that concern everyone invalidate the entry.
      organizationId: session.organization?.id ?? session.user.id,
      tables: SESSION_TABLES,
      // Another process may have recorded a later use.
      until: session.kind === "browser" ? idleEnd(session) : Number.POSITIVE_INFINITY,
    };
    return { value: { session, principal: principalOfSession(session) }, basis };
  };
  const refuse = async (reason: string, caller: Caller): Promise<never> => {
    await countInvalid(countFailure, caller);
    throw unauthenticated(reason);
  };
  return async (token, caller) => {
    if (!isToken("session", token)) return refuse("The token is not that of a session.", caller);
    const hashes = listHashes(token, peppers);
    const known = await sessions.getOrCompute(hashes.join(), null, caller, () =>
      caller.inTime(() => find(hashes)),
    );
    if (known === null) return refuse("There is no such session.", caller);
    const { session } = known;
    const { now, record } = caller;
    const { user, organization } = session;
    record.principal = { user_id: user.id, session_id: session.id, organization: organization?.id ?? null };
    requireAlive(session, now);
    noteUse(session, now);
    return known;
  };
}

/**
 * Reads a user's session and role again, from the database. Throws UNAUTHENTICATED if the session has ended, or if the
 * user is no longer a member of the organization the session was read for.
 */
export async function renewPerson(
  reader: Pick<Database, "select">,
  { id: sessionId }: Person["session"],
  organizationId: string,
  now: Date,
): Promise<Principal> {
  const session = await findSessionById(reader, sessionId, organizationId);
  if (session === null) throw unauthenticated("There is no such session.");
  requireAlive(session, now);
  const principal = principalOfSession(session);
  if (principal === null) throw unauthenticated("The session's person belongs to no organization.");
  return principal;
}

const idleEnd = ({ lastUsedAt }: StoredSession) => lastUsedAt.getTime() + BROWSER_IDLE_MS;

/** Throws UNAUTHENTICATED if a session has ended, with the reason. */
function requireAlive(session: StoredSession, now: Date): void {
  const { kind, revokedAt, tokenExpiresAt, expiresAt, user, organization, role } = session;
  if (revokedAt !== null) throw unauthenticated("The session was ended.");
  if (user.disabledAt !== null) throw unauthenticated("The account is disabled.");
  if (organization !== null && role === null) {
    throw unauthenticated("The session's person is no longer a member of its organization.");
  }
  if (now >= expiresAt || now >= tokenExpiresAt) throw unauthenticated("The session has expired.");
  if (kind === "browser" && now.getTime() >= idleEnd(session)) {
    throw unauthenticated("The session has expired: it was not used for an hour.");
  }
}

/** Counts an invalid token as a failure of the client's address. Throws RATE_LIMIT_EXCEEDED if there were too many. */
export async function countInvalid(
  countFailure: CountFailure,
  caller: Pick<Caller, "address">,
): Promise<void> {
  const secondsToWait = await countFailure(caller.address());
  if (secondsToWait !== null) {
    throw tooMany("Too many requests without a valid session.", secondsToWait * 1_000);
  }
}

/** Creates UNAUTHENTICATED with a reason and advice. */
export function unauthenticated(reason: string, advice = "Sign in again."): AppError {
  return new AppError("UNAUTHENTICATED", `${reason} ${advice}`, {
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  });
}

/** The active organization of a super admin without a membership. It has no rows. */
export const PLATFORM: OrganizationRow = {
  id: "00000000-0000-0000-0000-000000000000",
  slug: "platform",
  name: "Platform",
  plan: "free",
};

/** Returns true if the session is a super admin's: an organization's provider cannot vouch for the platform. */
const isPlatformAdmin = ({ user, isFromProvider }: Pick<StoredSession, "user" | "isFromProvider">) =>
  user.isSuperAdmin && !isFromProvider;

function principalOfSession(session: StoredSession): Principal | null {
  const { organization, role } = session;
  if (organization !== null && role !== null) {
    return principalIn(session, organization, role, ROLE_SCOPES[role]);
  }
  return isPlatformAdmin(session) ? principalIn(session, PLATFORM, "viewer", []) : null;
}

function principalIn(
  {
    id,
    kind,
    createdAt,
    expiresAt,
    authenticatedAt,
    factorAt,
    factorDueAt,
    isFromProvider,
    provedAt,
    user,
  }: StoredSession,
  organization: OrganizationRow,
  role: Role,
  scopes: readonly Scope[],
): Principal {
  return {
    id: user.id,
    organization,
    // The platform is open to a super admin only with a second factor.
    scopes:
      isPlatformAdmin({ user, isFromProvider }) && factorAt !== null ? [...scopes, "admin:platform"] : scopes,
    policy: "session",
    tier: "enterprise",
    person: {
      user,
      role,
      session: { id, kind, createdAt, expiresAt, authenticatedAt, factorAt, isFromProvider, provedAt },
      restrictedFrom: user.restrictedFrom,
      hasFactor: user.hasFactor,
      hasPassword: user.hasPassword,
      factorDueAt,
      isSuperAdmin: user.isSuperAdmin,
    },
    serviceAccount: null,
    log: { user_id: user.id, session_id: id, organization: organization.id },
  };
}
