import { type CommandName, write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { takeTurns } from "../../data/organizations/take-turns.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { type KeyContext, type KeyReading, writerOf } from "./rules.js";

/**
 * Changes a row that `requireRow` returns while the keys and service accounts of its organization are locked. Returns
 * what `change` does.
 */
export async function changeLocked<Row extends { readonly organization: { readonly id: string } }, T>(
  context: KeyContext,
  command: CommandName,
  requireRow: (reading: KeyReading) => Promise<Row>,
  change: (sql: SqlSession, row: Row) => Promise<T>,
  action?: AuditAction,
): Promise<T> {
  const { organization } = await requireRow(context);
  return write(
    context.database,
    writerOf(context, command),
    async (sql) => {
      await takeTurns(sql, organization.id);
      return change(sql, await requireRow({ ...context, database: { select: sql.query } }));
    },
    action,
  );
}
