import { foldEmail } from "../../domain/people/email.js";
import type { Database, SqlSession } from "../database/types.js";

/**
 * Purpose of a mailed link. `confirm`: confirms the account's address. `notifications`: confirms a separate address for
 * notifications. `reset`: sets a new password. `change`: confirms a new address. `cancel`: undoes that change.
 */
export type MailLinkKind = "confirm" | "notifications" | "reset" | "change" | "cancel";

export interface NewMailLink {
  readonly userId: string;
  readonly kind: MailLinkKind;
  /** Address that the link is sent to. */
  readonly email: string;
  readonly tokenHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** True if a command created it. */
  readonly byOperator?: boolean;
}

/** A valid link. */
export interface OpenMailLink extends Pick<NewMailLink, "userId" | "kind" | "email" | "createdAt"> {
  readonly id: string;
  readonly byOperator: boolean;
}

/**
 * Adds a link that replaces the user's previous link of the same kind. A `cancel` link that replaces a valid one keeps
 * the time of the first request, so that repeating a request does not protect what was added before it.
 */
export async function insertMailLink(sql: SqlSession, link: NewMailLink): Promise<void> {
  const { userId, kind, email, tokenHash, createdAt, expiresAt, byOperator = false } = link;
  await sql.execute(
    `INSERT INTO mail_links AS l (user_id, kind, email, token_hash, created_at, expires_at, by_operator)
     VALUES ($1::uuid, $2, $3, $4, $5::timestamptz, $6::timestamptz, $7)
     ON CONFLICT (user_id, kind) DO UPDATE SET email = excluded.email, token_hash = excluded.token_hash,
       created_at = CASE WHEN l.kind = 'cancel' AND l.used_at IS NULL AND l.expires_at > excluded.created_at THEN l.created_at
         ELSE excluded.created_at END,
       expires_at = excluded.expires_at, by_operator = excluded.by_operator, used_at = NULL`,
    [userId, kind, email, tokenHash, createdAt.toISOString(), expiresAt.toISOString(), byOperator],
  );
}

/**
 * SQL that is true if an account can use a link: it is enabled, or a directory has disabled it and the link undoes a
 * change of its address, which may be how the account came into that directory.
 */
export const isUsableSql = (account: string, link: string) =>
  `(${account}.disabled_at IS NULL OR ${account}.disabled_by IS NOT NULL AND ${link}.kind = 'cancel')`;

/** SQL for the earliest time at which a link can have been created: a change of address extends its `cancel` link. */
const CREATED_AT = "coalesce(l.created_at, l.expires_at - interval '8 days')";

/**
 * Finds a link by the possible hashes of its token; null if it was used or replaced, has expired, or its account cannot
 * use it.
 */
export async function findOpenMailLink(
  database: Database,
  tokenHashes: readonly string[],
  now: Date,
): Promise<OpenMailLink | null> {
  const [link] = await database.select<OpenMailLink>(
    `SELECT l.id, l.user_id AS "userId", l.kind, l.email, ${CREATED_AT} AS "createdAt", l.by_operator AS "byOperator" FROM mail_links AS l JOIN users AS u ON u.id = l.user_id
     WHERE l.token_hash = ANY($1::text[]) AND l.used_at IS NULL AND l.expires_at > $2::timestamptz AND ${isUsableSql("u", "l")}`,
    [tokenHashes, now.toISOString()],
  );
  return link ?? null;
}

/** Uses up a link. Returns false if it was used or replaced in the meantime. */
export async function spendMailLink(
  sql: SqlSession,
  id: string,
  tokenHashes: readonly string[],
  now: Date,
): Promise<boolean> {
  const spent = await sql.execute(
    "UPDATE mail_links SET used_at = $3::timestamptz WHERE id = $1::uuid AND token_hash = ANY($2::text[]) AND used_at IS NULL",
    [id, tokenHashes, now.toISOString()],
  );
  return spent > 0;
}

/**
 * Voids a user's mailed links and sign-in links. Keeps links that confirm a separate address for notifications. Also
 * keeps a `cancel` link to an address that is no longer the account's, because only its recipient can undo the change.
 */
export async function endLinksOf(sql: SqlSession, userId: string, now: Date): Promise<void> {
  const values = [userId, now.toISOString()];
  await sql.execute(
    `UPDATE mail_links AS l SET used_at = $2::timestamptz FROM users AS u
     WHERE u.id = l.user_id AND l.user_id = $1::uuid AND l.used_at IS NULL
       AND (l.kind NOT IN ('cancel', 'notifications') OR l.kind = 'cancel' AND lower(l.email) = lower(u.email))`,
    values,
  );
  await sql.execute(
    "UPDATE sign_in_links SET used_at = $2::timestamptz WHERE user_id = $1::uuid AND used_at IS NULL",
    values,
  );
}

export async function endMailLink(
  sql: SqlSession,
  userId: string,
  kind: MailLinkKind,
  now: Date,
): Promise<void> {
  await sql.execute(
    "UPDATE mail_links SET used_at = $3::timestamptz WHERE user_id = $1::uuid AND kind = $2 AND used_at IS NULL",
    [userId, kind, now.toISOString()],
  );
}

/** Extends the link that undoes a user's change of address. */
export async function renewCancelLink(sql: SqlSession, userId: string, expiresAt: Date): Promise<void> {
  await sql.execute(
    "UPDATE mail_links SET expires_at = $2::timestamptz WHERE user_id = $1::uuid AND kind = 'cancel' AND used_at IS NULL",
    [userId, expiresAt.toISOString()],
  );
}

/** Returns true if the owner of a user's former address can undo the change to `email`. */
export async function canBeUndone(
  sql: SqlSession,
  { id, email }: { readonly id: string; readonly email: string },
  now: Date,
): Promise<boolean> {
  const [link] = await sql.query<{ email: string }>(
    `SELECT email FROM mail_links
     WHERE user_id = $1::uuid AND kind = 'cancel' AND used_at IS NULL AND expires_at > $2::timestamptz`,
    [id, now.toISOString()],
  );
  return link !== undefined && foldEmail(link.email) !== foldEmail(email);
}

/** Confirms a user's separate address for notifications. Returns false if the address has since changed. */
export async function confirmNotificationAddress(
  sql: SqlSession,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const confirmed = await sql.execute(
    `UPDATE notification_preferences SET email_confirmed_at = $3::timestamptz
     WHERE user_id = $1::uuid AND lower(email_address) = lower($2)`,
    [userId, email, now.toISOString()],
  );
  return confirmed > 0;
}

/** Removes a user's separate address for notifications, unless it has since changed. */
export async function removeNotificationAddress(
  sql: SqlSession,
  userId: string,
  email: string,
): Promise<void> {
  await sql.execute(
    `UPDATE notification_preferences SET email_address = NULL, email_confirmed_at = NULL
     WHERE user_id = $1::uuid AND lower(email_address) = lower($2)`,
    [userId, email],
  );
}

/** Lists a user's unconfirmed addresses: the account's, and a separate one for notifications. */
export function listUnconfirmed(
  sql: SqlSession,
  userId: string,
): Promise<{ readonly kind: "confirm" | "notifications"; readonly email: string }[]> {
  return sql.query(
    `SELECT 'confirm' AS kind, email FROM users WHERE id = $1::uuid AND email_confirmed_at IS NULL
     UNION ALL SELECT 'notifications', p.email_address FROM notification_preferences AS p JOIN users AS u ON u.id = p.user_id
       WHERE p.user_id = $1::uuid AND p.email_confirmed_at IS NULL AND lower(p.email_address) <> lower(u.email)`,
    [userId],
  );
}
