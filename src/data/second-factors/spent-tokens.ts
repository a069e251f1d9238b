import type { SqlSession } from "../database/types.js";

/** Uses up a token that no table holds, by its hash. Returns false if it was used before. */
export async function spendToken(sql: SqlSession, hash: string, expiresAt: Date): Promise<boolean> {
  const spent = await sql.execute(
    "INSERT INTO spent_tokens (hash, expires_at) VALUES ($1, $2::timestamptz) ON CONFLICT DO NOTHING",
    [hash, expiresAt.toISOString()],
  );
  return spent > 0;
}

/** Returns the number of these hashes that were used up. */
export async function countSpent(sql: SqlSession, hashes: readonly string[]): Promise<number> {
  const rows = await sql.query("SELECT FROM spent_tokens WHERE hash = ANY($1::text[])", [hashes]);
  return rows.length;
}
