import type { Role } from "../../domain/people/roles.js";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import type { Database } from "../database/types.js";
import { ORGANIZATION_JSON, type OrganizationRow } from "../organizations/organizations.js";
import { FACTOR_DUE_AT } from "../second-factors/policy.js";

/** A session with its user and its active organization, as needed for authentication. */
export interface StoredSession {
  readonly id: string;
  readonly kind: "browser" | "token";
  readonly tokenExpiresAt: Date;
  readonly expiresAt: Date;
  readonly authenticatedAt: Date;
  /** Time at which the user last used a second factor in this session; null if never. */
  readonly factorAt: Date | null;
  /** True if it began with single sign-on. */
  readonly isFromProvider: boolean;
  /** Time at which the user last authenticated directly with the gateway after this session began; null if never. */
  readonly provedAt: Date | null;
  readonly createdAt: Date;
  lastUsedAt: Date;
  readonly revokedAt: Date | null;
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly createdAt: Date;
    readonly disabledAt: Date | null;
    readonly isSuperAdmin: boolean;
    /** Time from which an unconfirmed e-mail address restricts the account; null if it is confirmed. */
    readonly restrictedFrom: Date | null;
    /** True if the user has an authenticator app or a passkey. */
    readonly hasFactor: boolean;
    readonly hasPassword: boolean;
  };
  /** Null if the user belonged to no organization when the session began, and has activated none since. */
  readonly organization: OrganizationRow | null;
  /** Time from which that organization requires a second factor of the user; null if it does not. */
  readonly factorDueAt: Date | null;
  /** Role in that organization; null if the user is not a member of it. */
  readonly role: Role | null;
}

/** The tables that a stored session is read from. */
export const SESSION_TABLES: ReadonlySet<string> = new Set([
  "sessions",
  "users",
  "memberships",
  "organizations",
]);

/** Estimates how much memory a stored session takes, in bytes. */
export function sizeOfSession({ user, organization }: StoredSession): number {
  const texts = [user.email, user.name, organization?.slug ?? "", organization?.name ?? ""];
  return texts.reduce((size, text) => size + sizeOfText(text), 1_000);
}

interface SessionRow extends Omit<StoredSession, "user"> {
  readonly userId: string;
  readonly email: string;
  readonly userName: string;
  readonly userCreatedAt: Date;
  readonly disabledAt: Date | null;
  readonly isSuperAdmin: boolean;
  readonly restrictedFrom: Date | null;
  readonly hasFactor: boolean;
  readonly hasPassword: boolean;
}

/** Finds a session by the possible hashes of its token, even if it has ended. */
export const findSessionByToken = (reader: Pick<Database, "select">, hashes: readonly string[]) =>
  findSession(reader, "s.organization_id", "s.token_hash = ANY($1::text[])", [hashes]);

/** Finds a session by its id, even if it has ended, with the given organization as its active one. */
export const findSessionById = (reader: Pick<Database, "select">, id: string, organizationId: string) =>
  findSession(reader, "$2::uuid", "s.id = $1::uuid", [id, organizationId]);

async function findSession(
  reader: Pick<Database, "select">,
  organizationSql: string,
  condition: string,
  values: readonly unknown[],
): Promise<StoredSession | null> {
  const [row] = await reader.select<SessionRow>(
    `SELECT s.id, s.kind::text AS kind, s.token_expires_at AS "tokenExpiresAt", s.expires_at AS "expiresAt",
       s.authenticated_at AS "authenticatedAt", s.factor_at AS "factorAt", s.identity_id IS NOT NULL AS "isFromProvider", s.proved_at AS "provedAt", s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt",
       s.revoked_at AS "revokedAt", u.id AS "userId", u.email, u.name AS "userName", u.created_at AS "userCreatedAt",
       u.disabled_at AS "disabledAt", u.is_super_admin AS "isSuperAdmin",
       CASE WHEN u.email_confirmed_at IS NULL THEN coalesce(u.confirmation_due_at, to_timestamp(0)) END AS "restrictedFrom",
       u.factor_since IS NOT NULL AS "hasFactor", u.password_hash IS NOT NULL AS "hasPassword",
       ${FACTOR_DUE_AT} AS "factorDueAt", m.role::text AS role,
       CASE WHEN o.id IS NOT NULL THEN ${ORGANIZATION_JSON} END AS organization
     FROM sessions AS s JOIN users AS u ON u.id = s.user_id
     LEFT JOIN organizations AS o ON o.id = ${organizationSql}
     LEFT JOIN memberships AS m ON m.organization_id = o.id AND m.user_id = s.user_id
     WHERE ${condition}`,
    values,
  );
  if (!row) return null;
  const { userId: id, email, userName: name, userCreatedAt: createdAt, ...others } = row;
  const { disabledAt, isSuperAdmin, restrictedFrom, hasFactor, hasPassword, ...rest } = others;
  return {
    ...rest,
    user: { id, email, name, createdAt, disabledAt, isSuperAdmin, restrictedFrom, hasFactor, hasPassword },
  };
}
