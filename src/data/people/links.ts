import type { Database, SqlSession } from "../database/types.js";

/** Finds the sign-in link of a token by the token's possible hashes; null if there is none, or it was used or has expired. */
export async function findOpenLink(
  database: Database,
  hashes: readonly string[],
  now: Date,
): Promise<{ readonly id: string; readonly userId: string } | null> {
  const [link] = await database.select<{ id: string; userId: string }>(
    `SELECT id, user_id AS "userId" FROM sign_in_links
     WHERE token_hash = ANY($1::text[]) AND used_at IS NULL AND expires_at > $2::timestamptz`,
    [hashes, now.toISOString()],
  );
  return link ?? null;
}

/** Uses up a sign-in link; false if it was used meanwhile. */
export async function spendLink(sql: SqlSession, id: string, now: Date): Promise<boolean> {
  const spent = await sql.execute(
    "UPDATE sign_in_links SET used_at = $2::timestamptz WHERE id = $1::uuid AND used_at IS NULL",
    [id, now.toISOString()],
  );
  return spent > 0;
}
