import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { applyGroupRoles, usesGroups } from "../../data/directory/write-groups.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { ScimFault } from "../../domain/directory/fault.js";
import type { DirectoryCaller } from "./admit.js";

/** Runs `work` in a transaction. Changes of one organization's directory wait for each other. */
export async function writeDirectory<T>(
  caller: DirectoryCaller,
  work: (sql: SqlSession) => Promise<T>,
): Promise<T> {
  const { resources, writer } = caller;
  const result = await write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, writer.organizationId);
    return work(sql);
  });
  for (const table of ["users", "sessions", "memberships"])
    resources.noteChange({ table, organizationId: null });
  return result;
}

/**
 * If groups decide roles, gives the users (null: everybody) the roles of their groups. The organization's row must be
 * locked.
 */
export async function applyRoles(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[] | null,
): Promise<void> {
  if (await usesGroups(sql, organizationId)) await applyGroupRoles(sql, organizationId, userIds);
}

/** If groups decide roles, updates those of all directory users after a change of the default role. */
export async function applyDefaultRole(sql: SqlSession, organizationId: string): Promise<void> {
  await lockOrganizationRow(sql, organizationId);
  await applyRoles(sql, organizationId, null);
}

/** Throws 404 for a resource that the organization does not have. */
export const refuseUnknown = (type: "user" | "group", id: string): never => {
  throw new ScimFault(404, undefined, `There is no ${type} with the id ${id.slice(0, 100)}.`);
};
