import { setAuditAction } from "../database/transaction.js";
import type { SqlSession } from "../database/types.js";

export async function replaceRecoveryCodes(
  sql: SqlSession,
  userId: string,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  await sql.execute("DELETE FROM recovery_codes WHERE user_id = $1::uuid", [userId]);
  await sql.execute(
    "INSERT INTO recovery_codes (user_id, code_hash) SELECT $1::uuid, h FROM unnest($2::text[]) AS h",
    [userId, hashes],
  );
  await setAuditAction(sql, "recovery_codes.created");
  await sql.execute("UPDATE users SET recovery_codes_at = $2::timestamptz WHERE id = $1::uuid", [
    userId,
    now.toISOString(),
  ]);
}

/** Uses up a recovery code by its possible hashes. Returns false if it does not exist, or was already used. */
export async function spendRecoveryCode(
  sql: SqlSession,
  userId: string,
  hashes: readonly string[],
  now: Date,
): Promise<boolean> {
  const spent = await sql.execute(
    `UPDATE recovery_codes SET used_at = $3::timestamptz
     WHERE user_id = $1::uuid AND code_hash = ANY($2::text[]) AND used_at IS NULL`,
    [userId, hashes, now.toISOString()],
  );
  return spent > 0;
}
