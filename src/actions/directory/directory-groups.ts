import type { SqlSession } from "../../data/database/types.js";
import { findDirectoryGroup, type ListedGroup, listDirectoryGroups } from "../../data/directory/groups.js";
import { findDirectoryUserIds } from "../../data/directory/users.js";
import {
  applyGroupRoles,
  areInTooManyGroups,
  deleteGroupMembers,
  insertGroup,
  insertGroupMembers,
  isGroupNameTaken,
  deleteGroup as removeGroup,
  touchUsers,
  updateGroup,
} from "../../data/directory/write-groups.js";
import { addMembersToDirectory } from "../../data/directory/write-users.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import { refuse, ScimFault } from "../../domain/directory/fault.js";
import type { DirectoryGroup, GroupFields } from "../../domain/directory/group.js";
import type { ListPage, ListRequest, RequireVersion } from "../../domain/directory/service.js";
import { MAX_GROUPS } from "../../domain/directory/user.js";
import { isUuid } from "../../domain/texts/uuid.js";
import type { DirectoryCaller } from "./admit.js";
import { applyRoles, refuseUnknown, writeDirectory } from "./write-directory.js";

export const listGroups = (
  { tenant }: DirectoryCaller,
  request: ListRequest,
): Promise<ListPage<DirectoryGroup>> => listDirectoryGroups(tenant, request);

/** Returns a group. Throws a fault if the organization has none with this id. */
export async function getGroup({ tenant }: DirectoryCaller, id: string): Promise<DirectoryGroup> {
  return (isUuid(id) ? await findDirectoryGroup(tenant, id) : null) ?? refuseUnknown("group", id);
}

const readGroup = async (sql: SqlSession, { writer }: DirectoryCaller, id: string): Promise<ListedGroup> =>
  (isUuid(id) ? await findDirectoryGroup(readInTransaction(sql, writer.organizationId), id) : null) ??
  refuseUnknown("group", id);

async function requireFreeName(
  sql: SqlSession,
  { writer }: DirectoryCaller,
  groupId: string | null,
  { displayName }: GroupFields,
): Promise<void> {
  if (await isGroupNameTaken(sql, writer.organizationId, groupId, displayName))
    throw new ScimFault(409, "uniqueness", "Another group has this displayName.");
}

/** Creates a group. Throws a fault if another one has the name, or if a member is unknown or in too many groups. */
export function createGroup(caller: DirectoryCaller, fields: GroupFields): Promise<DirectoryGroup> {
  const { now, writer } = caller;
  const { organizationId } = writer;
  return writeDirectory(caller, async (sql) => {
    await requireFreeName(sql, caller, null, fields);
    const id = await insertGroup(sql, organizationId, fields, now);
    await changeMembers(sql, caller, id, { added: [...fields.members], removed: [] });
    return readGroup(sql, caller, id);
  });
}

/**
 * Replaces a group's fields with those that `compute` returns for the current ones. Writes nothing if they are equal.
 */
export function changeGroup(
  caller: DirectoryCaller,
  id: string,
  requireVersion: RequireVersion,
  compute: (former: DirectoryGroup) => GroupFields,
): Promise<DirectoryGroup> {
  const { now } = caller;
  return writeDirectory(caller, async (sql) => {
    const former = await readGroup(sql, caller, id);
    requireVersion(former.version);
    const fields = compute(former);
    const added = [...fields.members].filter((member) => !former.members.has(member));
    const removed = [...former.members].filter((member) => !fields.members.has(member));
    const isRenamed = fields.displayName !== former.displayName;
    const isSame = !isRenamed && fields.externalId === former.externalId;
    if (isSame && added.length + removed.length === 0) return former;
    await requireFreeName(sql, caller, former.id, fields);
    await updateGroup(sql, former.id, fields, now);
    await changeMembers(sql, caller, former.id, { added, removed });
    // A user's resource lists the names of its groups, so a new name changes it.
    if (isRenamed) await touchUsers(sql, caller.writer.organizationId, [...former.members], now);
    return readGroup(sql, caller, former.id);
  });
}

/** Adds and removes members of a group, and updates their roles if groups decide roles. */
async function changeMembers(
  sql: SqlSession,
  { writer, hosts, now }: DirectoryCaller,
  groupId: string,
  { added, removed }: Readonly<Record<"added" | "removed", readonly string[]>>,
): Promise<void> {
  const { organizationId } = writer;
  if (added.length > 0) {
    const ids = added.filter(isUuid);
    const known = new Set(await findDirectoryUserIds(readInTransaction(sql, organizationId), hosts, ids));
    const unknown = added.find((id) => !known.has(id));
    if (unknown !== undefined)
      refuse("invalidValue", `members.value: there is no user with the id ${unknown.slice(0, 100)}`);
    await addMembersToDirectory(sql, organizationId, added, now);
    await insertGroupMembers(sql, organizationId, groupId, added);
    if (await areInTooManyGroups(sql, organizationId, added))
      refuse("invalidValue", `members: a user can be in at most ${MAX_GROUPS} groups`);
  }
  if (removed.length > 0) await deleteGroupMembers(sql, groupId, removed);
  const changed = [...added, ...removed];
  if (changed.length === 0) return;
  await touchUsers(sql, organizationId, changed, now);
  await applyRoles(sql, organizationId, changed);
}

/** Deletes a group. Its members remain users but lose its role. Throws a fault for an unknown group. */
export function deleteGroup(
  caller: DirectoryCaller,
  id: string,
  requireVersion: RequireVersion,
): Promise<void> {
  const { now, writer } = caller;
  return writeDirectory(caller, async (sql) => {
    const group = await readGroup(sql, caller, id);
    requireVersion(group.version);
    const members = [...group.members];
    await removeGroup(sql, group.id);
    await touchUsers(sql, writer.organizationId, members, now);
    // Not `applyRoles`, which does nothing if this was the last group with a role.
    if (group.role !== null) await applyGroupRoles(sql, writer.organizationId, members);
  });
}
