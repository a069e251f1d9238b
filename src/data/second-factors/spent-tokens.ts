import type { SqlSession } from "../database/types.js";

/** Uses up a stateless token by its hash. Returns false if it was already used. */
export async function spendToken(sql: SqlSession, hash: string, expiresAt: Date): Promise<boolean> {
  const spent = await sql.execute(
    "INSERT INTO spent_tokens (hash, expires_at) VALUES ($1, $2::timestamptz) ON CONFLICT DO NOTHING",
    [hash, expiresAt.toISOString()],
  );
  return spent > 0;
}

/** Counts how many of these tokens were used. */
export async function countSpent(sql: SqlSession, hashes: readonly string[]): Promise<number> {
  const rows = await sql.query("SELECT FROM spent_tokens WHERE hash = ANY($1::text[])", [hashes]);
  return rows.length;
}
