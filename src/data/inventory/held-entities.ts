import type { InventoryPolicy } from "../../domain/inventory/inventory.js";
import { createSpans, type HeldEntity, type ShareSpan } from "../../domain/inventory/shares.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { mapInTurns } from "../../turns.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Lists entities with their holdings in a range of months: those that begin in it, and the last one before it. */
async function listHeldEntities(
  tenant: TenantReader,
  { from, to }: DateRange,
): Promise<readonly HeldEntity[]> {
  const rows = await tenant.query<
    Omit<HeldEntity, "holdings"> & { readonly holdings: string | null }
  >(Prisma.sql`
    SELECT e.id, e.parent_id AS "parentId", held.holdings
    FROM ${own.entities} AS e LEFT JOIN (
      SELECT entity_id, json_agg(json_build_object('from', from_month, 'equityShare', equity_share::text,
        'financialControl', financial_control, 'operationalControl', operational_control) ORDER BY from_month)::text AS holdings
      FROM (
        SELECT *, lead(from_month, 1, 'infinity') OVER (PARTITION BY entity_id ORDER BY from_month) AS next_month
        FROM ${own.entity_holdings} WHERE from_month <= ${to}::date
      ) AS known WHERE next_month > ${from}::date GROUP BY entity_id
    ) AS held ON held.entity_id = e.id`);
  return mapInTurns(rows, tenant, ({ id, parentId, holdings }) => ({
    id,
    parentId,
    holdings: holdings === null ? [] : JSON.parse(holdings),
  }));
}

/**
 * Splits the 12 months of `period`, for each entity, into spans with the same share. With `holdingsAsOf`, the holdings
 * of that month apply to all 12.
 */
export async function readSpans(
  tenant: TenantReader,
  { approach }: Pick<InventoryPolicy, "approach">,
  period: DateRange,
  holdingsAsOf: IsoDate | null,
): Promise<ReadonlyMap<string, readonly ShareSpan[]>> {
  const held = holdingsAsOf === null ? period : { from: holdingsAsOf, to: holdingsAsOf };
  const entities = await listHeldEntities(tenant, held);
  const spansOf = createSpans(entities, approach, period.from, holdingsAsOf);
  return new Map(await mapInTurns(entities, tenant, (entity) => [entity.id, spansOf(entity)] as const));
}
