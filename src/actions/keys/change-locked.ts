import { type CommandName, write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import type { KeyRow } from "../../data/keys/keys.js";
import { takeTurns } from "../../data/organizations/take-turns.js";
import { type KeyContext, writerOf } from "./rules.js";
import { requireKey } from "./summary.js";

/** Changes a key while the keys of its organization are locked. Throws ActionError if the key does not exist. */
export async function changeLocked<T>(
  context: KeyContext,
  command: CommandName,
  id: string,
  change: (sql: SqlSession, key: KeyRow) => Promise<T>,
  action?: "api_key.rotated",
): Promise<T> {
  const { organization } = await requireKey(context, id);
  return write(
    context.database,
    writerOf(context, command),
    async (sql) => {
      await takeTurns(sql, organization.id);
      return change(sql, await requireKey({ ...context, database: { select: sql.query } }, id));
    },
    action,
  );
}
