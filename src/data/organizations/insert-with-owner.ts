import type { SqlSession } from "../database/types.js";
import type { OrganizationRow } from "./organizations.js";

/** Adds an organization with its first owner. Returns false if the slug is taken. */
export async function insertOrganizationWithOwner(
  sql: SqlSession,
  { id, slug, name }: Omit<OrganizationRow, "plan">,
  ownerId: string,
): Promise<boolean> {
  const added = await sql.execute(
    "INSERT INTO organizations (id, slug, name) VALUES ($1::uuid, $2, $3) ON CONFLICT DO NOTHING",
    [id, slug, name],
  );
  if (added === 0) return false;
  await sql.execute(
    "INSERT INTO memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, 'owner')",
    [id, ownerId],
  );
  return true;
}
