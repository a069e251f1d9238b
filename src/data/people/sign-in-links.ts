import type { Database, SqlSession } from "../database/types.js";

/** A link that signs a user in once. */
export interface NewSignInLink {
  readonly userId: string;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

export async function insertSignInLink(sql: SqlSession, link: NewSignInLink): Promise<void> {
  const { userId, tokenHash, expiresAt } = link;
  await sql.execute(
    "INSERT INTO sign_in_links (user_id, token_hash, expires_at) VALUES ($1::uuid, $2, $3::timestamptz)",
    [userId, tokenHash, expiresAt.toISOString()],
  );
}

/** Removes a user's unused sign-in links. */
export async function removeSignInLinks(sql: SqlSession, userId: string): Promise<void> {
  await sql.execute("DELETE FROM sign_in_links WHERE user_id = $1::uuid AND used_at IS NULL", [userId]);
}

/** Finds an unused sign-in link by the possible hashes of its token; null if it does not exist or has expired. */
export async function findOpenLink(
  database: Pick<Database, "select">,
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

/** Uses up a sign-in link. Returns false if it was used in the meantime. */
export async function spendLink(sql: SqlSession, id: string, now: Date): Promise<boolean> {
  const spent = await sql.execute(
    "UPDATE sign_in_links SET used_at = $2::timestamptz WHERE id = $1::uuid AND used_at IS NULL",
    [id, now.toISOString()],
  );
  return spent > 0;
}
