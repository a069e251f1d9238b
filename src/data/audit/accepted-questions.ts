import type { SqlSession } from "../database/types.js";

/**
 * Adds the codes of accepted questions, by record id, to the audit entries of this transaction. An entry that covers
 * many records gets the codes of all of them.
 */
export async function recordAcceptedQuestions(
  sql: SqlSession,
  codes: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await sql.query("SELECT set_config('gateway.accepted', $1, true)", [
    JSON.stringify(Object.fromEntries(codes)),
  ]);
}
