import type { Database, SqlSession } from "../database/types.js";

/** Finds the session of a current or spent refresh token by the token's possible hashes. */
export async function findRefreshedSession(
  database: Database,
  hashes: readonly string[],
): Promise<{ readonly id: string; readonly userId: string } | null> {
  const [session] = await database.select<{ id: string; userId: string }>(
    `SELECT id, user_id AS "userId" FROM sessions
     WHERE refresh_hash = ANY($1::text[])
       OR id = (SELECT session_id FROM spent_refresh_tokens WHERE hash = ANY($1::text[]) LIMIT 1)`,
    [hashes],
  );
  return session ?? null;
}

/** Finds the time at which a refresh token was used, by its possible hashes; null if it was not. */
export async function findRefreshTokenUse(sql: SqlSession, hashes: readonly string[]): Promise<Date | null> {
  const [spent] = await sql.query<{ usedAt: Date }>(
    'SELECT used_at AS "usedAt" FROM spent_refresh_tokens WHERE hash = ANY($1::text[])',
    [hashes],
  );
  return spent?.usedAt ?? null;
}
