import type { GroupFields } from "../../domain/directory/group.js";
import { MAX_GROUPS } from "../../domain/directory/user.js";
import type { Role } from "../../domain/people/roles.js";
import type { ClaimedRole } from "../../domain/sso/role-rules.js";
import type { SqlSession } from "../database/types.js";

/** Returns true if another group of the organization has this name, ignoring case. */
export async function isGroupNameTaken(
  sql: SqlSession,
  organizationId: string,
  groupId: string | null,
  displayName: string,
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM directory_groups WHERE organization_id = $1::uuid AND id IS DISTINCT FROM $2::uuid
       AND lower(display_name) = lower($3::text)`,
    [organizationId, groupId, displayName],
  );
  return rows.length > 0;
}

/** Adds a group without members or a role, and returns its id. */
export async function insertGroup(
  sql: SqlSession,
  organizationId: string,
  { displayName, externalId }: GroupFields,
  now: Date,
): Promise<string> {
  const [row] = await sql.query<{ id: string }>(
    `INSERT INTO directory_groups (organization_id, display_name, external_id, created_at, updated_at)
     VALUES ($1::uuid, $2, $3, $4::timestamptz, $4::timestamptz) RETURNING id`,
    [organizationId, displayName, externalId, now.toISOString()],
  );
  if (row === undefined) throw new Error("the database returned no row");
  return row.id;
}

/** Sets a group's names. Increments its version even if they are the same. */
export async function updateGroup(
  sql: SqlSession,
  groupId: string,
  { displayName, externalId }: GroupFields,
  now: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE directory_groups SET display_name = $2, external_id = $3, updated_at = $4::timestamptz WHERE id = $1::uuid`,
    [groupId, displayName, externalId, now.toISOString()],
  );
}

/** Deletes a group and its memberships. The users remain. */
export async function deleteGroup(sql: SqlSession, groupId: string): Promise<void> {
  await sql.execute("DELETE FROM directory_groups WHERE id = $1::uuid", [groupId]);
}

/** Sets or clears a group's role. */
export async function updateGroupRole(
  sql: SqlSession,
  groupId: string,
  role: ClaimedRole | null,
  now: Date,
): Promise<void> {
  await sql.execute(
    "UPDATE directory_groups SET role = $2::member_role, updated_at = $3::timestamptz WHERE id = $1::uuid",
    [groupId, role, now.toISOString()],
  );
}

export async function insertGroupMembers(
  sql: SqlSession,
  organizationId: string,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  await sql.execute(
    `INSERT INTO directory_members (organization_id, group_id, user_id)
     SELECT $1::uuid, $2::uuid, unnest($3::uuid[])`,
    [organizationId, groupId, [...userIds]],
  );
}

/** Returns true if any of the users is in more than MAX_GROUPS groups. */
export async function areInTooManyGroups(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[],
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM directory_members WHERE organization_id = $1::uuid AND user_id = ANY($2::uuid[])
     GROUP BY user_id HAVING count(*) > $3::integer LIMIT 1`,
    [organizationId, [...userIds], MAX_GROUPS],
  );
  return rows.length > 0;
}

export async function deleteGroupMembers(
  sql: SqlSession,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  await sql.execute("DELETE FROM directory_members WHERE group_id = $1::uuid AND user_id = ANY($2::uuid[])", [
    groupId,
    [...userIds],
  ]);
}

/** Increments the versions of users whose groups changed. */
export async function touchUsers(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE directory_users SET updated_at = $3::timestamptz WHERE organization_id = $1::uuid AND user_id = ANY($2::uuid[])`,
    [organizationId, [...userIds], now.toISOString()],
  );
}

/** Increments the versions of a user's groups, before the user leaves them. */
export async function touchGroupsOf(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  now: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE directory_groups SET updated_at = $3::timestamptz WHERE organization_id = $1::uuid
       AND id IN (SELECT group_id FROM directory_members WHERE organization_id = $1::uuid AND user_id = $2::uuid)`,
    [organizationId, userId, now.toISOString()],
  );
}

/** Returns true if groups determine roles in an organization: an owner has assigned a role to at least one. */
export async function usesGroups(sql: SqlSession, organizationId: string): Promise<boolean> {
  const rows = await sql.query(
    "SELECT FROM directory_groups WHERE organization_id = $1::uuid AND role IS NOT NULL LIMIT 1",
    [organizationId],
  );
  return rows.length > 0;
}

/** Role of directory users `d`: the highest of their groups' roles, or else the organization's default role. */
const ROLE = `coalesce((SELECT max(g.role) FROM directory_members AS e JOIN directory_groups AS g ON g.id = e.group_id
      WHERE e.organization_id = d.organization_id AND e.user_id = d.user_id),
    (SELECT c.default_role::member_role FROM sso_connections AS c WHERE c.organization_id = d.organization_id), 'viewer')`;

/** Returns the role that a user's directory groups imply; null if the user is not in the directory. */
export async function findGroupRole(
  sql: SqlSession,
  organizationId: string,
  userId: string,
): Promise<Role | null> {
  const [row] = await sql.query<{ role: Role }>(
    `SELECT ${ROLE}::text AS role FROM directory_users AS d WHERE d.organization_id = $1::uuid AND d.user_id = $2::uuid`,
    [organizationId, userId],
  );
  return row?.role ?? null;
}

/** Sets the roles of directory users (null: all of them) by their groups. Owners keep their role. */
export async function applyGroupRoles(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[] | null,
): Promise<void> {
  await sql.execute(
    `UPDATE memberships AS m SET role = r.role
     FROM (SELECT d.user_id, ${ROLE} AS role FROM directory_users AS d
       WHERE d.organization_id = $1::uuid AND ($2::uuid[] IS NULL OR d.user_id = ANY($2::uuid[]))) AS r
     WHERE m.organization_id = $1::uuid AND m.user_id = r.user_id AND m.role <> 'owner' AND m.role <> r.role`,
    [organizationId, userIds && [...userIds]],
  );
}
