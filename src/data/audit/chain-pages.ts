import type { Database } from "../database/types.js";
import { PLATFORM_CHAIN } from "./chain.js";

/**
 * Lists at most `max` chains after `after` ('' for the first page), by id. The platform's chain comes first. Includes
 * chains of which only a head, an entry or an earlier check remains, so that removals are detected.
 */
export async function listChainsAfter(database: Database, after: string, max: number): Promise<string[]> {
  // Each step finds the next organization in the index. Reading all entries would take minutes.
  const rows = await database.select<{ chain: string }>(
    `WITH RECURSIVE found AS (
       (SELECT organization_id AS chain FROM audit_entries
        WHERE organization_id > coalesce(nullif($1, ''), '${PLATFORM_CHAIN}')::uuid ORDER BY organization_id LIMIT 1)
       UNION ALL
       SELECT (SELECT e.organization_id FROM audit_entries AS e WHERE e.organization_id > found.chain
               ORDER BY e.organization_id LIMIT 1) FROM found WHERE found.chain IS NOT NULL)
     SELECT chain::text AS chain FROM (
       SELECT '${PLATFORM_CHAIN}'::uuid AS chain WHERE $1 = ''
       UNION (SELECT chain FROM found WHERE chain IS NOT NULL LIMIT $2)
       UNION (SELECT chain FROM audit_heads WHERE chain > coalesce(nullif($1, ''), '${PLATFORM_CHAIN}')::uuid ORDER BY chain LIMIT $2)
       UNION (SELECT chain FROM audit_checks WHERE chain > coalesce(nullif($1, ''), '${PLATFORM_CHAIN}')::uuid ORDER BY chain LIMIT $2)
     ) AS chains ORDER BY chain LIMIT $2`,
    [after, max],
  );
  return rows.map(({ chain }) => chain);
}
