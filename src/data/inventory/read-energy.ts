import type { InventoryPolicy } from "../../domain/inventory/inventory.js";
import { ENERGY_LINES, type InventoryEnergy } from "../../domain/inventory/vsme-energy.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { readSpans } from "./held-entities.js";
import { sqlOfYear } from "./sum-year.js";

/** Sums the energy of a year's combustion and scope 2 records, each multiplied by its facility's share. */
export async function readEnergy(
  tenant: TenantReader,
  policy: Pick<InventoryPolicy, "approach">,
  period: DateRange,
): Promise<readonly InventoryEnergy[]> {
  const spans = await readSpans(tenant, policy, period, null);
  const { isInYear, phase, shares } = sqlOfYear(period, [...spans.values()].flat());
  return tenant.query<InventoryEnergy>(Prisma.sql`
    SELECT e.line::text, e.renewable, trim_scale(sum(c.kwh * c.share))::text AS "kwhExact", sum(c.missing)::int AS "recordsWithoutKwh"
    FROM (
      SELECT c.scope, c.subpart, c.kwh, c.missing, CASE WHEN f.entity_id IS NULL THEN 1 ELSE coalesce(s.share, 0) END AS share
      FROM (
        SELECT part, scope, subpart, ${phase} AS phase, sum(energy_kwh) AS kwh, sum(record_count - energy_record_count) AS missing
        FROM ${own.emission_days} WHERE grain = 'month_cell' AND scope <= 'scope_2' AND ${isInYear}
        GROUP BY part, scope, subpart, phase
      ) AS c LEFT JOIN ${own.facilities} AS f ON f.id = nullif(c.part, '')::uuid
        LEFT JOIN ${shares} ON s.entity_id = f.entity_id AND s.phase = c.phase
    ) AS c JOIN ${own.emission_streams} AS e ON e.scope = c.scope AND coalesce(e.category, '') = c.subpart
    WHERE c.share > 0 AND e.line::text = ANY(${[...ENERGY_LINES]}::text[])
    GROUP BY e.line, e.renewable ORDER BY e.line, e.renewable`);
}
