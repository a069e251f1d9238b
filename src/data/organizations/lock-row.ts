import type { SqlSession } from "../database/types.js";

/**
 * Locks an organization's row until the transaction ends. Use it to serialize changes that depend on several rows, such
 * as their number. Reads do not wait, nor do writes to rows that only reference the organization.
 */
export async function lockOrganizationRow(sql: SqlSession, organizationId: string): Promise<void> {
  await sql.query("SELECT FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE", [organizationId]);
}
