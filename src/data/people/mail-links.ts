import type { SqlSession } from "../database/types.js";

/** Address that a link confirms: the account's, or a separate one for notifications. */
export type MailLinkKind = "confirm" | "notifications";

export interface NewMailLink {
  readonly userId: string;
  readonly kind: MailLinkKind;
  readonly email: string;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** Adds a link to confirm an address. Replaces the user's previous link of the kind. */
export async function insertMailLink(sql: SqlSession, link: NewMailLink): Promise<void> {
  const { userId, kind, email, tokenHash, expiresAt } = link;
  await sql.execute(
    `INSERT INTO mail_links (user_id, kind, email, token_hash, expires_at) VALUES ($1::uuid, $2, $3, $4, $5::timestamptz)
     ON CONFLICT (user_id, kind) DO UPDATE SET email = excluded.email, token_hash = excluded.token_hash,
       expires_at = excluded.expires_at, used_at = NULL`,
    [userId, kind, email, tokenHash, expiresAt.toISOString()],
  );
}

/**
 * Confirms the address of a user's link, uses up the link, and returns the address. Returns null if the link was used,
 * replaced, has expired or belongs to somebody else, or if the user's address has changed since.
 */
export async function confirmByLink(
  sql: SqlSession,
  userId: string,
  tokenHashes: readonly string[],
  now: Date,
): Promise<string | null> {
  const [link] = await sql.query<Pick<NewMailLink, "kind" | "email">>(
    `UPDATE mail_links SET used_at = $3::timestamptz WHERE token_hash = ANY($2::text[]) AND user_id = $1::uuid
       AND used_at IS NULL AND expires_at > $3::timestamptz RETURNING kind, email`,
    [userId, tokenHashes, now.toISOString()],
  );
  if (link === undefined) return null;
  const statement =
    link.kind === "confirm"
      ? "UPDATE users SET email_confirmed_at = $3::timestamptz WHERE id = $1::uuid AND lower(email) = lower($2)"
      : `UPDATE notification_preferences SET email_confirmed_at = $3::timestamptz
         WHERE user_id = $1::uuid AND lower(email_address) = lower($2)`;
  const confirmed = await sql.execute(statement, [userId, link.email, now.toISOString()]);
  return confirmed > 0 ? link.email : null;
}

/** Confirms the address of an account for which the operator vouches. */
export async function confirmEmail(sql: SqlSession, userId: string, now: Date): Promise<void> {
  await sql.execute(
    "UPDATE users SET email_confirmed_at = $2::timestamptz WHERE id = $1::uuid AND email_confirmed_at IS NULL",
    [userId, now.toISOString()],
  );
}

/** Lists a user's unconfirmed addresses: that of the account, and a separate one for notifications. */
export function listUnconfirmed(
  sql: SqlSession,
  userId: string,
): Promise<{ readonly kind: MailLinkKind; readonly email: string }[]> {
  return sql.query(
    `SELECT 'confirm' AS kind, email FROM users WHERE id = $1::uuid AND email_confirmed_at IS NULL
     UNION ALL SELECT 'notifications', p.email_address FROM notification_preferences AS p JOIN users AS u ON u.id = p.user_id
       WHERE p.user_id = $1::uuid AND p.email_confirmed_at IS NULL AND lower(p.email_address) <> lower(u.email)`,
    [userId],
  );
}
