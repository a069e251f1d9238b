import type { SqlSession } from "../database/types.js";

/** A user's account at an identity provider. */
export interface Identity {
  readonly id: string;
  readonly subject: string;
  readonly userId: string;
}

const COLUMNS = `id, subject, user_id AS "userId"`;

/** Finds the identity of a subject; null if nobody has signed in with it. */
export async function findIdentity(
  sql: Pick<SqlSession, "query">,
  connectionId: string,
  subject: string,
): Promise<Identity | null> {
  const [row] = await sql.query<Identity>(
    `SELECT ${COLUMNS} FROM identities WHERE connection_id = $1::uuid AND subject = $2`,
    [connectionId, subject],
  );
  return row ?? null;
}

/** Finds a user's identity at a provider; null if they are not linked. */
export async function findIdentityOf(
  sql: SqlSession,
  connectionId: string,
  userId: string,
): Promise<Identity | null> {
  const [row] = await sql.query<Identity>(
    `SELECT ${COLUMNS} FROM identities WHERE connection_id = $1::uuid AND user_id = $2::uuid`,
    [connectionId, userId],
  );
  return row ?? null;
}

/** An identity, as its user sees it. */
export interface IdentityRow {
  readonly id: string;
  readonly connectionId: string;
  readonly organizationName: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** True if this session began with it, and its provider can authenticate the user again. */
  readonly canProve: boolean;
}

/**
 * Lists the identities of a session's user, oldest first. If the user has a second factor, `canProve` also requires
 * that a sign-in with the provider counts as one.
 */
export const listIdentities = (
  sql: Pick<SqlSession, "query">,
  userId: string,
  sessionId: string,
): Promise<IdentityRow[]> =>
  sql.query<IdentityRow>(
    `SELECT i.id, c.id AS "connectionId", o.name AS "organizationName", i.created_at AS "createdAt", i.last_used_at AS "lastUsedAt",
       c.enabled_at IS NOT NULL AND (c.second_factor = 'provider' OR u.factor_since IS NULL)
         AND EXISTS (SELECT FROM sessions AS s WHERE s.id = $2::uuid AND s.identity_id = i.id) AS "canProve"
     FROM identities AS i JOIN users AS u ON u.id = i.user_id JOIN sso_connections AS c ON c.id = i.connection_id
       JOIN organizations AS o ON o.id = c.organization_id
     WHERE i.user_id = $1::uuid ORDER BY i.created_at, i.id`,
    [userId, sessionId],
  );

/** Links a user to a subject; returns the identity's id. Fails with a unique violation if either is already linked. */
export async function insertIdentity(
  sql: SqlSession,
  { connectionId, subject, userId }: Omit<Identity, "id"> & { readonly connectionId: string },
  now: Date,
): Promise<string> {
  const [row] = await sql.query<{ id: string }>(
    `INSERT INTO identities (connection_id, subject, user_id, created_at, last_used_at)
     VALUES ($1::uuid, $2, $3::uuid, $4::timestamptz, $4::timestamptz) RETURNING id`,
    [connectionId, subject, userId, now.toISOString()],
  );
  if (!row) throw new Error("an identity was inserted, but not returned");
  return row.id;
}

/** Records the use of an identity. */
export async function recordIdentityUse(sql: SqlSession, id: string, now: Date): Promise<void> {
  await sql.execute("UPDATE identities SET last_used_at = $2::timestamptz WHERE id = $1::uuid", [
    id,
    now.toISOString(),
  ]);
}

/** Deletes the identities of a connection, and with them the sessions that began with it. */
export async function deleteIdentities(sql: SqlSession, connectionId: string): Promise<void> {
  await sql.execute("DELETE FROM identities WHERE connection_id = $1::uuid", [connectionId]);
}

/** Selects sessions that began with a connection, by the provider's session id (`sid`), by subject, or both. */
interface ProviderSessions {
  readonly connectionId: string;
  /** Null for any. */
  readonly sidHashes: readonly string[] | null;
  /** Null for any. */
  readonly subject: string | null;
}

/** SQL that is true for the selected sessions `s` of identities `i`; $1 to $3 are the properties in their order. */
const IS_SELECTED = `i.id = s.identity_id AND i.connection_id = $1::uuid AND s.revoked_at IS NULL
  AND ($2::text[] IS NULL OR s.sso_sid_hash = ANY($2::text[])) AND ($3::text IS NULL OR i.subject = $3)`;

const valuesOf = ({ connectionId, sidHashes, subject }: ProviderSessions) => [
  connectionId,
  sidHashes && [...sidHashes],
  subject,
];

/** Lists the users of the selected sessions. */
export const listUsersOf = (
  sql: Pick<SqlSession, "query">,
  sessions: ProviderSessions,
): Promise<{ readonly id: string }[]> =>
  sql.query(
    `SELECT DISTINCT s.user_id AS id FROM sessions AS s, identities AS i WHERE ${IS_SELECTED}`,
    valuesOf(sessions),
  );

/** Ends a user's selected sessions; returns their number. */
export const endProviderSessions = (
  sql: SqlSession,
  { userId, ...sessions }: ProviderSessions & { readonly userId: string },
  now: Date,
): Promise<number> =>
  sql.execute(
    `UPDATE sessions AS s SET revoked_at = $4::timestamptz FROM identities AS i
     WHERE ${IS_SELECTED} AND s.user_id = $5::uuid AND s.expires_at > $4::timestamptz`,
    [...valuesOf(sessions), now.toISOString(), userId],
  );
