import type { Addition } from "../../domain/people/additions.js";
import type { Database, SqlSession } from "../database/types.js";

/** A link that removes one addition to an account. */
export interface NewAdditionLink {
  readonly userId: string;
  readonly kind: Addition["kind"];
  readonly targetId: string;
  readonly addedAt: Date;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

export type OpenAdditionLink = Pick<NewAdditionLink, "userId" | "kind" | "targetId" | "addedAt"> & {
  readonly id: string;
};

/** Adds a link, and deletes the user's expired ones. */
export async function insertAdditionLink(sql: SqlSession, link: NewAdditionLink, now: Date): Promise<void> {
  const { userId, kind, targetId, addedAt, tokenHash, expiresAt } = link;
  await sql.execute("DELETE FROM addition_links WHERE user_id = $1::uuid AND expires_at <= $2::timestamptz", [
    userId,
    now.toISOString(),
  ]);
  await sql.execute(
    `INSERT INTO addition_links (user_id, kind, target_id, added_at, token_hash, expires_at)
     VALUES ($1::uuid, $2, $3::uuid, $4::timestamptz, $5, $6::timestamptz)`,
    [userId, kind, targetId, addedAt.toISOString(), tokenHash, expiresAt.toISOString()],
  );
}

/**
 * Finds a link by the possible hashes of its token; null if it was used, has expired, or belongs to a disabled account.
 */
export async function findOpenAdditionLink(
  database: Pick<Database, "select">,
  tokenHashes: readonly string[],
  now: Date,
): Promise<OpenAdditionLink | null> {
  const [link] = await database.select<OpenAdditionLink>(
    `SELECT l.id, l.user_id AS "userId", l.kind, l.target_id AS "targetId", l.added_at AS "addedAt"
     FROM addition_links AS l JOIN users AS u ON u.id = l.user_id
     WHERE l.token_hash = ANY($1::text[]) AND l.expires_at > $2::timestamptz AND u.disabled_at IS NULL`,
    [tokenHashes, now.toISOString()],
  );
  return link ?? null;
}

/** Uses up a link. Returns false if it was used in the meantime. */
export async function spendAdditionLink(sql: SqlSession, id: string): Promise<boolean> {
  return (await sql.execute("DELETE FROM addition_links WHERE id = $1::uuid", [id])) > 0;
}
