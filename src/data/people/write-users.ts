import type { SqlSession } from "../database/types.js";
import type { Account } from "./users.js";
import { isFreeSql } from "./write-addresses.js";

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Null for a user who signs in with single sign-on. */
  readonly passwordHash: string | null;
}

/**
 * Adds a user. Returns the time of creation; null if the e-mail address is taken, or if another account can still
 * return to it with a link.
 */
export async function insertUser(sql: SqlSession, user: NewUser, now: Date): Promise<Date | null> {
  const { id, email, name, passwordHash } = user;
  const [row] = await sql.query<{ createdAt: Date }>(
    `INSERT INTO users (id, email, name, password_hash, password_changed_at)
     SELECT $1::uuid, $2::text, $3::text, $4::text, CASE WHEN $4::text IS NOT NULL THEN $5::timestamptz END WHERE ${isFreeSql("$5")} ON CONFLICT DO NOTHING RETURNING created_at AS "createdAt"`,
    [id, email, name, passwordHash, now.toISOString()],
  );
  return row?.createdAt ?? null;
}

export interface LockedUser extends Pick<Account, "email" | "passwordHash" | "disabledAt" | "isConfirmed"> {
  /** True if the user has an authenticator app or a passkey. */
  readonly hasFactor: boolean;
}

/** Locks a user until the transaction ends, and returns the current state; null if the user does not exist. */
export async function lockUser(sql: SqlSession, id: string): Promise<LockedUser | null> {
  const [user] = await sql.query<LockedUser>(
    `SELECT email, password_hash AS "passwordHash", disabled_at AS "disabledAt", email_confirmed_at IS NOT NULL AS "isConfirmed",
       factor_since IS NOT NULL AS "hasFactor"
     FROM users WHERE id = $1::uuid FOR NO KEY UPDATE`,
    [id],
  );
  return user ?? null;
}

/** Finds the enabled account with an address, and locks it until the transaction ends. */
export async function lockEnabledAccount(
  sql: SqlSession,
  email: string,
): Promise<Pick<Account, "id" | "email"> | null> {
  const [account] = await sql.query<Pick<Account, "id" | "email">>(
    `SELECT id, email FROM users WHERE lower(email) = lower($1::text COLLATE "C") AND disabled_at IS NULL FOR NO KEY UPDATE`,
    [email],
  );
  return account ?? null;
}

/** Stores a new hash of the same password. */
export async function updatePasswordHash(sql: SqlSession, id: string, hash: string): Promise<void> {
  await sql.execute("UPDATE users SET password_hash = $2 WHERE id = $1::uuid", [id, hash]);
}

/** Stores a new password. Null removes the password, so that only a mailed link can set a new one. */
export async function changePassword(
  sql: SqlSession,
  id: string,
  hash: string | null,
  now: Date,
): Promise<void> {
  await sql.execute(
    "UPDATE users SET password_hash = $2, password_changed_at = $3::timestamptz WHERE id = $1::uuid",
    [id, hash, now.toISOString()],
  );
}

/** Removes a password that was set at or after a time. Returns true if there was one. */
export async function removePasswordSince(
  sql: SqlSession,
  id: string,
  since: Date,
  now: Date,
): Promise<boolean> {
  const removed = await sql.execute(
    `UPDATE users SET password_hash = NULL, password_changed_at = $3::timestamptz
     WHERE id = $1::uuid AND password_hash IS NOT NULL AND password_changed_at >= $2::timestamptz`,
    [id, since.toISOString(), now.toISOString()],
  );
  return removed > 0;
}
