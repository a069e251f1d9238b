import type { Database } from "../database/types.js";

/** Returns the number of each organization's last audit entry, by organization id. */
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
