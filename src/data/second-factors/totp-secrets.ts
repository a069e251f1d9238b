import type { SqlSession } from "../database/types.js";

/** Stores a user's new, unconfirmed secret. Returns false if the user already has a confirmed one. */
export async function storeTotpSecret(sql: SqlSession, userId: string, sealed: string): Promise<boolean> {
  const stored = await sql.execute(
    `INSERT INTO totp_secrets (user_id, secret_sealed) VALUES ($1::uuid, $2)
     ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed, last_step = 0
       WHERE totp_secrets.confirmed_at IS NULL`,
    [userId, sealed],
  );
  return stored > 0;
}

/** Stores a user's secret, sealed again with a new pepper. */
export async function resealTotpSecret(sql: SqlSession, userId: string, sealed: string): Promise<void> {
  await sql.execute("UPDATE totp_secrets SET secret_sealed = $2 WHERE user_id = $1::uuid", [userId, sealed]);
}

/** Uses up a time step and all earlier ones. Returns false if it was already used. */
export async function spendTotpStep(sql: SqlSession, userId: string, step: number): Promise<boolean> {
  const spent = await sql.execute(
    "UPDATE totp_secrets SET last_step = $2::bigint WHERE user_id = $1::uuid AND last_step < $2::bigint",
    [userId, step],
  );
  return spent > 0;
}

/** Confirms a user's secret, which makes it a second factor. */
export async function confirmTotpSecret(sql: SqlSession, userId: string, now: Date): Promise<void> {
  await sql.execute("UPDATE totp_secrets SET confirmed_at = $2::timestamptz WHERE user_id = $1::uuid", [
    userId,
    now.toISOString(),
  ]);
}

/** Removes a user's confirmed secret. Returns false if the user has none. */
export async function deleteTotpSecret(sql: SqlSession, userId: string): Promise<boolean> {
  const deleted = await sql.execute(
    "DELETE FROM totp_secrets WHERE user_id = $1::uuid AND confirmed_at IS NOT NULL",
    [userId],
  );
  return deleted > 0;
}
