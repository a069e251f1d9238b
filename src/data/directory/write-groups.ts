import type { GroupFields } from "../../domain/directory/group.js";
import { MOST_GROUPS } from "../../domain/directory/user.js";
import type { Role } from "../../domain/people/roles.js";
import type { ClaimedRole } from "../../domain/sso/role-rules.js";
import type { SqlSession } from "../database/types.js";

/** Returns true if another group of the organization has the name. */
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

/** Adds a group without members and a role; returns its id. */
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
  if (row === undefined) throw new Error("a group was not added");
  return row.id;
}

/** Changes the names of a group, and its version in any case. */
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

/** Deletes a group with its members, who stay users. */
export async function deleteGroup(sql: SqlSession, groupId: string): Promise<void> {
  await sql.execute("DELETE FROM directory_groups WHERE id = $1::uuid", [groupId]);
}

/** Gives a group a role, or none. */
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

/** Adds users to a group. */
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

/** Returns true if one of the users is in more groups than one can be in. */
export async function areInTooManyGroups(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[],
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM directory_members WHERE organization_id = $1::uuid AND user_id = ANY($2::uuid[])
     GROUP BY user_id HAVING count(*) > $3::integer LIMIT 1`,
    [organizationId, [...userIds], MOST_GROUPS],
  );
  return rows.length > 0;
}

/** Removes users from a group. */
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

/** Counts a change of users whose groups changed, so that they have another version. */
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

/** Counts a change of the groups of a user who leaves them, so that they have another version. */
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

/** Returns true if groups decide on roles in an organization: an owner has given at least one of them a role. */
export async function usesGroups(sql: SqlSession, organizationId: string): Promise<boolean> {
  const rows = await sql.query(
    "SELECT FROM directory_groups WHERE organization_id = $1::uuid AND role IS NOT NULL LIMIT 1",
    [organizationId],
  );
  return rows.length > 0;
}

/** Role of the users `d` of a directory by their groups: the highest, else that of people whom no group gives one. */
const ROLE = `coalesce((SELECT max(g.role) FROM directory_members AS e JOIN directory_groups AS g ON g.id = e.group_id
      WHERE e.organization_id = d.organization_id AND e.user_id = d.user_id),
    (SELECT c.default_role::member_role FROM sso_connections AS c WHERE c.organization_id = d.organization_id), 'viewer')`;

/** Returns the role that groups give a user of the directory; null for anybody else. */
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

/** Gives users of the directory, or all of them if `userIds` is null, the roles of their groups. Leaves owners alone. */
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
