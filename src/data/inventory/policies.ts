import type { InventoryPolicy } from "../../domain/inventory/inventory.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export const POLICY_COLUMNS = `from_year AS "fromYear", approach::text AS approach, to_json(scopes) AS scopes,
  year_starts_in AS "yearStartsIn", base_year AS "baseYear", base_year_reason AS "baseYearReason",
  trim_scale(recalculation_threshold_pct)::text AS "recalculationThresholdPercentExact",
  recalculation_policy AS "recalculationPolicy", chosen_at AS "chosenAt"`;

/** Lists the inventory policies by first year, at most one per year. */
export const listPolicies = (tenant: Pick<TenantReader, "query">): Promise<readonly InventoryPolicy[]> =>
  tenant.query<InventoryPolicy>(
    Prisma.sql`SELECT ${Prisma.raw(POLICY_COLUMNS)} FROM ${own.inventory_policies} ORDER BY from_year`,
  );
