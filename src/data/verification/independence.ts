import type { SqlSession } from "../database/types.js";

/** Whether an organization has a member with this e-mail address, whatever its case. */
export async function isMember(sql: SqlSession, organizationId: string, email: string): Promise<boolean> {
  const found = await sql.query(
    `SELECT FROM memberships AS m JOIN users AS u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND lower(u.email) = lower($2::text COLLATE "C")`,
    [organizationId, email],
  );
  return found.length > 0;
}

/** The ids of the accounts with this e-mail address, whatever its case: one, or none. */
export async function listAccountIds(sql: SqlSession, email: string): Promise<string[]> {
  const found = await sql.query<{ id: string }>(
    `SELECT id FROM users WHERE lower(email) = lower($1::text COLLATE "C")`,
    [email],
  );
  return found.map(({ id }) => id);
}
