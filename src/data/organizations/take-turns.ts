import type { SqlSession } from "../database/types.js";

/**
 * Has changes that depend on several of an organization's rows, such as their number, wait for each other until the
 * transaction ends. Reads and other writes do not wait.
 */
export async function takeTurns(sql: SqlSession, organizationId: string): Promise<void> {
  await sql.query("SELECT FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE", [organizationId]);
}
