import type { OrganizationRow } from "../data/organizations/organizations.js";
import type { Role } from "../domain/people/roles.js";
import type { Scope } from "../domain/scopes.js";
import type { Policy, Tier } from "../domain/tiers.js";
import { AppError } from "../errors.js";
import type { PrincipalLog } from "../http/request-info.js";

/**
 * On whose behalf a request acts: that of an API key, or of a person who is signed in. Everything outside of `access/` uses
 * this, and never the credentials that were sent.
 */
export interface Principal {
  /** Unique among all principals; requests are counted against the hourly limit under this id. */
  readonly id: string;
  /** The tenant whose data it can read. */
  readonly organization: OrganizationRow;
  readonly scopes: readonly Scope[];
  /** The name of the hourly limit. */
  readonly policy: Policy;
  /** Decides on the cost that one operation may have. */
  readonly tier: Tier;
  /** Null for an API key. */
  readonly person: Person | null;
  /** How the access log names it. */
  readonly log: PrincipalLog;
}

/** Somebody who is signed in, and the session that proves it. */
export interface Person {
  readonly user: User;
  /** In the organization that is active in the session. */
  readonly role: Role;
  readonly session: {
    readonly id: string;
    readonly kind: "browser" | "token";
    readonly createdAt: Date;
    readonly expiresAt: Date;
    /** When the password, or a sign-in link, was last given. */
    readonly authenticatedAt: Date;
  };
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** How long ago the password may have been given for an action that is sensitive. */
const RECENT_MS = 10 * 60_000;

/** The person that a principal is; throws UNAUTHENTICATED for an API key. */
export function requirePerson({ person }: Pick<Principal, "person">): Person {
  if (person) return person;
  throw new AppError(
    "UNAUTHENTICATED",
    "This is for people. Sign in, and send the session's token instead of an API key.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

/** Throws REAUTHENTICATION_REQUIRED if a person gave the password longer ago than 10 minutes. */
export function requireRecentPassword({ session }: Person, now: Date): void {
  if (Math.abs(now.getTime() - session.authenticatedAt.getTime()) <= RECENT_MS) return;
  throw new AppError(
    "REAUTHENTICATION_REQUIRED",
    "This needs your password again: it was given more than 10 minutes ago. Send it to POST /v1/auth/reauthenticate first.",
  );
}
