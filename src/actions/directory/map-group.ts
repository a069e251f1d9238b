import { write } from "../../data/database/transaction.js";
import { findGroup, type GroupRow } from "../../data/directory/groups.js";
import { applyGroupRoles, updateGroupRole } from "../../data/directory/write-groups.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import { isClaimedRole } from "../../domain/sso/role-rules.js";
import { InvalidInput, requireFound, requireVersion } from "../action-error.js";
import { type PersonContext, requireConfirmedAndRecent } from "../actor-context.js";
import type { ExpectedVersion } from "../sso/sso-settings.js";

/**
 * Assigns a role to the members of a directory group; null removes it. As soon as one group has a role, groups decide
 * the roles of everybody in the directory except owners. Throws InvalidInput, NOT_FOUND, EMAIL_NOT_CONFIRMED,
 * REAUTHENTICATION_REQUIRED, and CONFLICT if the version is not the expected one.
 */
export async function mapDirectoryGroup(
  caller: PersonContext,
  id: string,
  role: string | null | undefined,
  expectedVersion: ExpectedVersion,
): Promise<GroupRow> {
  const { resources, writer, now } = caller;
  const { organizationId } = writer;
  if (role === undefined || (role !== null && !isClaimedRole(role)))
    throw new InvalidInput("directoryGroup", "role", "must be viewer, editor or admin, or null for none");
  requireConfirmedAndRecent(caller);
  const mapped = await write(
    resources.database,
    writer,
    async (sql) => {
      await lockOrganizationRow(sql, organizationId);
      const find = async () =>
        requireFound(
          await findGroup(readInTransaction(sql, organizationId), id),
          "directoryGroup",
          id,
          "directory group",
        );
      const group = await find();
      requireVersion("directoryGroup", group.version, expectedVersion);
      if (group.role === role) return group;
      await updateGroupRole(sql, group.id, role, now);
      // Updates everybody: with the first role, groups begin to decide all roles, and without the last one they stop.
      await applyGroupRoles(sql, organizationId, null);
      return find();
    },
    "directory_group.mapped",
  );
  resources.noteChange({ table: null, organizationId });
  return mapped;
}
