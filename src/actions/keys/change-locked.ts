import { type CommandName, write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { type KeyContext, type KeyReading, writerOf } from "./key-checks.js";

interface LockedChange<Row> {
  readonly command: CommandName;
  readonly id: string;
  /** Returns the row with the id. Throws if it does not exist. */
  readonly requireRow: (reading: KeyReading, id: string) => Promise<Row>;
  readonly action?: AuditAction;
}

/**
 * Changes a row while the keys and service accounts of its organization are locked. Returns the result of `change`.
 */
export async function changeLocked<Row extends { readonly organization: { readonly id: string } }, T>(
  context: KeyContext,
  { command, id, requireRow, action }: LockedChange<Row>,
  change: (sql: SqlSession, row: Row) => Promise<T>,
): Promise<T> {
  const { organization } = await requireRow(context, id);
  return write(
    context.database,
    writerOf(context, command),
    async (sql) => {
      await lockOrganizationRow(sql, organization.id);
      return change(sql, await requireRow({ ...context, database: { select: sql.query } }, id));
    },
    action,
  );
}
