import type { SqlSession } from "../database/types.js";

/**
 * Adds the accepted questions to the audit entries of records that this transaction writes. `codes` are by the record's
 * id. An entry of many records has the codes of all.
 */
export async function noteAccepted(
  sql: SqlSession,
  codes: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await sql.query("SELECT set_config('gateway.accepted', $1, true)", [
    JSON.stringify(Object.fromEntries(codes)),
  ]);
}
