import type { Database } from "../database/types.js";

/** Returns the numbers of the last audit entries of these organizations, by the organization's id. */
export async function readHeadNumbers(
  database: Database,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const heads = await database.select<{ id: string; seq: number }>(
    "SELECT chain::text AS id, seq FROM audit_heads WHERE chain = ANY($1::uuid[])",
    [organizationIds],
  );
  return new Map(heads.map(({ id, seq }) => [id, seq]));
}
