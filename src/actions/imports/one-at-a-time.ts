import type { Writer } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { lockOrganization, tryLockOrganization } from "../../data/organizations/organizations.js";
import { ActionError } from "../action-error.js";

/** Creates the CONFLICT that refuses a second import of an organization. */
export const busy = () =>
  new ActionError(
    "CONFLICT",
    "import",
    "Another import of the organization is in progress. Try again when it has finished.",
  );

/**
 * Locks an organization for one import. While another import is in progress, a command waits, and a user's request
 * throws CONFLICT.
 */
export async function takeTurn(sql: SqlSession, slug: string, writer: Writer): Promise<void> {
  if (typeof writer === "string") await lockOrganization(sql, slug);
  else if (!(await tryLockOrganization(sql, slug))) throw busy();
}
