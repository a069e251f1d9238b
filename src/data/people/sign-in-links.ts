import type { SqlSession } from "../database/types.js";

/** A link that signs a person in, once. */
export interface NewSignInLink {
  readonly userId: string;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** Adds a sign-in link. */
export async function insertSignInLink(sql: SqlSession, link: NewSignInLink): Promise<void> {
  const { userId, tokenHash, expiresAt } = link;
  await sql.execute(
    "INSERT INTO sign_in_links (user_id, token_hash, expires_at) VALUES ($1::uuid, $2, $3::timestamptz)",
    [userId, tokenHash, expiresAt.toISOString()],
  );
}

/** Removes the sign-in links of a person that were not used. */
export async function removeSignInLinks(sql: SqlSession, userId: string): Promise<void> {
  await sql.execute("DELETE FROM sign_in_links WHERE user_id = $1::uuid AND used_at IS NULL", [userId]);
}
