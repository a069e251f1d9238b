import type { InventoryPolicy } from "../../domain/inventory/inventory.js";
import { createSpans } from "../../domain/inventory/shares.js";
import { ENERGY_LINES, type InventoryEnergy } from "../../domain/inventory/vsme-energy.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { mapInTurns } from "../../turns.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { listHeldEntities } from "./held-entities.js";

/** Sums the energy of a year's records of combustion and of scope 2, after shares. */
export async function readEnergy(
  tenant: TenantReader,
  { approach }: Pick<InventoryPolicy, "approach">,
  period: DateRange,
): Promise<readonly InventoryEnergy[]> {
  const entities = await listHeldEntities(tenant, period);
  const spans = (
    await mapInTurns(entities, tenant, createSpans(entities, approach, period.from, null))
  ).flat();
  return tenant.query<InventoryEnergy>(Prisma.sql`
    SELECT s.line::text, s.renewable, trim_scale(sum(sums.kwh * sums.share))::text AS "kwhExact",
      sum(sums.records_without)::int AS "recordsWithoutKwh"
    FROM (
      SELECT d.scope, d.subpart, CASE WHEN f.entity_id IS NULL THEN 1 ELSE coalesce(span.share, 0) END AS share,
        sum(d.energy_kwh) AS kwh, sum(d.record_count - d.energy_record_count) AS records_without
      FROM ${own.emission_days} AS d LEFT JOIN ${own.facilities} AS f ON f.id = nullif(d.part, '')::uuid
        LEFT JOIN unnest(${spans.map(({ entityId }) => entityId)}::text[]::uuid[], ${spans.map(({ from }) => from)}::text[]::date[],
          ${spans.map(({ to }) => to)}::text[]::date[], ${spans.map(({ share }) => share)}::text[]::numeric[])
          AS span (entity_id, from_month, to_month, share)
          ON span.entity_id = f.entity_id AND d.recorded_on BETWEEN span.from_month AND span.to_month
      WHERE d.grain = 'month_cell' AND d.scope <> 'scope_3' AND d.recorded_on BETWEEN ${period.from}::date AND ${period.to}::date
      GROUP BY 1, 2, 3
    ) AS sums JOIN ${own.emission_streams} AS s ON s.scope = sums.scope AND coalesce(s.category, '') = sums.subpart
    WHERE sums.share > 0 AND s.line::text = ANY(${[...ENERGY_LINES]}::text[])
    GROUP BY s.line, s.renewable ORDER BY s.line, s.renewable`);
}
