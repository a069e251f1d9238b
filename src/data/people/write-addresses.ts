import type { SqlSession } from "../database/types.js";
import { isUniqueViolation } from "../database/unique-violation.js";
import { isUsableSql } from "./mail-links.js";

/** Confirms an account's address. If it is already confirmed, keeps the time. */
export async function confirmEmail(sql: SqlSession, userId: string, now: Date): Promise<void> {
  await sql.execute(
    "UPDATE users SET email_confirmed_at = $2::timestamptz WHERE id = $1::uuid AND email_confirmed_at IS NULL",
    [userId, now.toISOString()],
  );
}

/** Returns SQL that is true unless an account other than $1 has the address $2, or a valid link to return to it. */
export const isFreeSql = (
  now: string,
) => `NOT EXISTS (SELECT FROM users AS o WHERE lower(o.email) = lower($2 COLLATE "C") AND o.id <> $1::uuid)
  AND NOT EXISTS (SELECT FROM mail_links AS l JOIN users AS o ON o.id = l.user_id AND ${isUsableSql("o", "l")}
    WHERE l.kind = 'cancel' AND l.used_at IS NULL AND l.expires_at > ${now}::timestamptz AND lower(l.email) = lower($2 COLLATE "C") AND l.user_id <> $1::uuid)`;

/** Returns true if an account can change to an address. */
export async function isAddressFree(
  sql: SqlSession,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const rows = await sql.query(`SELECT WHERE ${isFreeSql("$3")}`, [userId, email, now.toISOString()]);
  return rows.length > 0;
}

/**
 * Changes an account's address to one that its owner has confirmed. Returns false if the address is taken. Also returns
 * false if another account takes it at the same moment; the transaction has then failed.
 */
export async function changeEmail(
  sql: SqlSession,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const changed = await sql
    .execute(
      `UPDATE users SET email = $2, email_confirmed_at = $3::timestamptz WHERE id = $1::uuid AND ${isFreeSql("$3")}`,
      [userId, email, now.toISOString()],
    )
    .catch((error) => {
      if (isUniqueViolation(error)) return 0;
      throw error;
    });
  return changed > 0;
}

/**
 * Disables an account with an unconfirmed address, and frees the address. Returns false if the address is confirmed, or
 * is not the account's.
 */
export async function releaseEmail(
  sql: SqlSession,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const released = await sql.execute(
    `UPDATE users SET email = id || '@released.invalid', disabled_at = coalesce(disabled_at, $3::timestamptz)
     WHERE id = $1::uuid AND lower(email) = lower($2 COLLATE "C") AND email_confirmed_at IS NULL`,
    [userId, email, now.toISOString()],
  );
  return released > 0;
}
