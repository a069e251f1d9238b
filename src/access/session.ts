import type { Cache } from "../data/cache/cache.js";
import type { Computed } from "../data/cache/computations.js";
import { findCaller } from "../data/database/find-caller.js";
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

/** Idle time after which a browser session ends. */
export const BROWSER_IDLE_MS = 60 * 60_000;

/** A cached session; null for an unknown token. Its principal is null if the user acts in no organization. */
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
  readonly recordUse: (session: StoredSession, now: Date) => void;
}

/** An active session. */
export type ActiveSession = NonNullable<KnownSession>;

/**
 * Returns the session of an access token or a cookie. Rejects with UNAUTHENTICATED if it does not exist or has ended,
 * and with RATE_LIMIT_EXCEEDED after too many failures from an address.
 */
export type FindSession = (token: string, caller: Caller) => Promise<ActiveSession>;

/** Creates the function that finds active sessions. */
export function createFindSession(options: SessionOptions): FindSession {
  const { database, sessions, peppers, countFailure, recordUse } = options;
  const find = async (hashes: readonly string[]): Promise<Computed<KnownSession>> => {
    const session = await findCaller(database, (reader) => findSessionByToken(reader, hashes));
    if (session === null) return { value: null, basis: null };
    const basis = {
      // Without an organization, only changes to global rows invalidate the entry.
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
    if (!isToken("session", token)) return refuse("The token is not a session token.", caller);
    const hashes = listHashes(token, peppers);
    const known = await sessions.getOrCompute(hashes.join(), null, caller, () =>
      caller.inTime(() => find(hashes)),
    );
    if (known === null) return refuse("The session does not exist.", caller);
    const { session } = known;
    const { now, record } = caller;
    const { user, organization } = session;
    record.principal = { user_id: user.id, session_id: session.id, organization: organization?.id ?? null };
    requireActive(session, now);
    recordUse(session, now);
    return known;
  };
}

/**
 * Reads a user's session and role from the database again. Throws UNAUTHENTICATED if the session has ended, or if the
 * user is no longer a member of the organization.
 */
export async function renewPerson(
  reader: Pick<Database, "select">,
  { id: sessionId }: Person["session"],
  organizationId: string,
  now: Date,
): Promise<Principal> {
  const session = await findSessionById(reader, sessionId, organizationId);
  if (session === null) throw unauthenticated("The session does not exist.");
  requireActive(session, now);
  const principal = principalOfSession(session);
  if (principal === null) throw unauthenticated("You are not a member of any organization.");
  return principal;
}

const idleEnd = ({ lastUsedAt }: StoredSession) => lastUsedAt.getTime() + BROWSER_IDLE_MS;

/** Throws UNAUTHENTICATED, with the reason, unless the session, its user and the membership are active. */
function requireActive(session: StoredSession, now: Date): void {
  const { kind, revokedAt, tokenExpiresAt, expiresAt, user, organization, role } = session;
  if (revokedAt !== null) throw unauthenticated("The session was ended.");
  if (user.disabledAt !== null) throw unauthenticated("The account is disabled.");
  if (organization !== null && role === null) {
    throw unauthenticated("You are no longer a member of the session's organization.");
  }
  if (now >= expiresAt || now >= tokenExpiresAt) throw unauthenticated("The session has expired.");
  if (kind === "browser" && now.getTime() >= idleEnd(session)) {
    throw unauthenticated("The session has expired: it was not used for an hour.");
  }
}

/** Counts an invalid token as a failure of the client's address. Throws RATE_LIMIT_EXCEEDED after too many. */
export async function countInvalid(
  countFailure: CountFailure,
  caller: Pick<Caller, "address">,
): Promise<void> {
  const secondsToWait = await countFailure(caller.address());
  if (secondsToWait !== null) {
    throw tooMany("Too many requests without a valid token.", secondsToWait * 1_000);
  }
}

/** Creates UNAUTHENTICATED with a reason and advice. */
export function unauthenticated(reason: string, advice = "Sign in again."): AppError {
  return new AppError("UNAUTHENTICATED", `${reason} ${advice}`, {
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  });
}

/** Stands in for the organization of a super admin who is not a member of any. It has no rows. */
export const PLATFORM: OrganizationRow = {
  id: "00000000-0000-0000-0000-000000000000",
  slug: "platform",
  name: "Platform",
  plan: "free",
};

/** Returns true for a super admin's session, unless an organization's provider started it. */
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
    // Super admins need a second factor to use the platform.
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
