import type { SqlSession } from "../database/types.js";
import type { StoredSession } from "./sessions.js";

/** Hashes of a session's tokens. */
export interface SessionProof {
  readonly tokenHash: string;
  readonly tokenExpiresAt: Date;
  /** Null for a browser session. */
  readonly refreshHash: string | null;
}

export interface NewSession extends SessionProof {
  readonly userId: string;
  /** The active organization; null for a user who is not a member of any. */
  readonly organizationId: string | null;
  readonly kind: StoredSession["kind"];
  readonly expiresAt: Date;
  /** Time at which the user used a second factor; null without one. */
  readonly factorAt: Date | null;
  readonly authenticatedAt: Date;
  /** The identity of single sign-on; null for other sign-ins. */
  readonly identityId: string | null;
  /** Hash of the provider's session id (`sid`). */
  readonly ssoSidHash: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Adds a session; returns its id. */
export async function insertSession(sql: SqlSession, session: NewSession, now: Date): Promise<string> {
  const { userId, organizationId, kind, expiresAt, address, userAgent } = session;
  const { tokenHash, tokenExpiresAt, refreshHash, factorAt } = session;
  const [row] = await sql.query<{ id: string }>(
    `INSERT INTO sessions (user_id, organization_id, kind, token_hash, token_expires_at, refresh_hash, expires_at, address,
       user_agent, authenticated_at, last_used_at, created_at, factor_at, identity_id, sso_sid_hash)
     VALUES ($1::uuid, $2::uuid, $3::session_kind, $4, $5::timestamptz, $6, $7::timestamptz, $8, $9, $12::timestamptz,
       $10::timestamptz, $10::timestamptz, $11::timestamptz, $13::uuid, $14) RETURNING id`,
    [
      userId,
      organizationId,
      kind,
      tokenHash,
      tokenExpiresAt.toISOString(),
      refreshHash,
      expiresAt.toISOString(),
      address,
      userAgent,
      now.toISOString(),
      factorAt?.toISOString() ?? null,
      session.authenticatedAt.toISOString(),
      session.identityId,
      session.ssoSidHash,
    ],
  );
  if (!row) throw new Error("a session was inserted, but not returned");
  return row.id;
}

export interface LockedSession {
  readonly kind: StoredSession["kind"];
  readonly organizationId: string | null;
  readonly tokenExpiresAt: Date;
  readonly refreshHash: string | null;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly authenticatedAt: Date;
  readonly factorAt: Date | null;
  /** True if its user is not disabled, and still a member of its organization. */
  readonly isAllowed: boolean;
}

/** Locks a session until the transaction ends, and returns it; null if it does not exist. */
export async function lockSession(sql: SqlSession, id: string): Promise<LockedSession | null> {
  const [session] = await sql.query<LockedSession>(
    `SELECT s.kind::text AS kind, s.organization_id AS "organizationId", s.token_expires_at AS "tokenExpiresAt",
       s.refresh_hash AS "refreshHash", s.expires_at AS "expiresAt", s.revoked_at AS "revokedAt",
       s.authenticated_at AS "authenticatedAt", s.factor_at AS "factorAt",
       u.disabled_at IS NULL AND (s.organization_id IS NULL OR m.user_id IS NOT NULL) AS "isAllowed"
     FROM sessions AS s JOIN users AS u ON u.id = s.user_id
     LEFT JOIN memberships AS m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
     WHERE s.id = $1::uuid
     FOR UPDATE OF s`,
    [id],
  );
  return session ?? null;
}

/** Replaces the tokens of a locked session, and marks its old refresh token as spent. */
export async function renewSession(
  sql: SqlSession,
  id: string,
  { refreshHash: spent }: Pick<LockedSession, "refreshHash">,
  { tokenHash, tokenExpiresAt, refreshHash }: SessionProof,
  now: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE sessions SET token_hash = $2, token_expires_at = $3::timestamptz, refresh_hash = $4, last_used_at = $5::timestamptz
     WHERE id = $1::uuid`,
    [id, tokenHash, tokenExpiresAt.toISOString(), refreshHash, now.toISOString()],
  );
  if (spent === null) return;
  await sql.execute(
    "INSERT INTO spent_refresh_tokens (session_id, hash, used_at) VALUES ($1::uuid, $2, $3::timestamptz)",
    [id, spent, now.toISOString()],
  );
}

/** Records that the user of a session has just authenticated directly with the gateway. */
export async function recordAuthentication(sql: SqlSession, id: string, now: Date): Promise<void> {
  await sql.execute(
    "UPDATE sessions SET authenticated_at = $2::timestamptz, proved_at = $2::timestamptz WHERE id = $1::uuid",
    [id, now.toISOString()],
  );
}

/** Ends a session. Returns false if it had already ended. */
export async function endSession(sql: SqlSession, id: string, now: Date): Promise<boolean> {
  const ended = await sql.execute(
    `UPDATE sessions SET revoked_at = $2::timestamptz
     WHERE id = $1::uuid AND revoked_at IS NULL AND expires_at > $2::timestamptz`,
    [id, now.toISOString()],
  );
  return ended > 0;
}

/** Ends a user's sessions, except the one with the id `spared`; returns their number. Lock the user first. */
export function endSessionsOf(
  sql: SqlSession,
  userId: string,
  now: Date,
  spared: string | null = null,
): Promise<number> {
  return sql.execute(
    `UPDATE sessions SET revoked_at = $2::timestamptz
     WHERE user_id = $1::uuid AND id IS DISTINCT FROM $3::uuid AND revoked_at IS NULL AND expires_at > $2::timestamptz`,
    [userId, now.toISOString(), spared],
  );
}

/** Switches the active organization of a session. */
export async function activateOrganization(
  sql: SqlSession,
  id: string,
  organizationId: string,
): Promise<void> {
  await sql.execute("UPDATE sessions SET organization_id = $2::uuid WHERE id = $1::uuid", [
    id,
    organizationId,
  ]);
}
