import type { SqlSession } from "../database/types.js";

/** A user's account. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}

export async function renameUser(sql: SqlSession, id: string, name: string): Promise<UserRow> {
  const [user] = await sql.query<UserRow>(
    `UPDATE users SET name = $2 WHERE id = $1::uuid RETURNING id, email, name, created_at AS "createdAt"`,
    [id, name],
  );
  if (!user) throw new Error(`the user ${id} does not exist`);
  return user;
}
