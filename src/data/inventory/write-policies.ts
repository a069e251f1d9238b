import type { InventoryPolicy } from "../../domain/inventory/inventory.js";
import type { SqlSession } from "../database/types.js";
import { POLICY_COLUMNS } from "./policies.js";

/** Lists an organization's policies by first year. */
export const listOwnPolicies = (sql: SqlSession, organizationId: string): Promise<InventoryPolicy[]> =>
  sql.query<InventoryPolicy>(
    `SELECT ${POLICY_COLUMNS} FROM inventory_policies WHERE organization_id = $1::uuid ORDER BY from_year`,
    [organizationId],
  );

/** Returns the latest year from `first` to `last` with an issued inventory; null if none has one. */
export async function findIssuedYear(
  sql: SqlSession,
  organizationId: string,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<number | null> {
  const [row] = await sql.query<{ year: number | null }>(
    "SELECT max(year) AS year FROM inventory_issues WHERE organization_id = $1::uuid AND year BETWEEN $2::int AND $3::int",
    [organizationId, first, last],
  );
  return row?.year ?? null;
}

/** A policy to set, chosen by a user or a service account. */
export interface ChosenPolicy extends InventoryPolicy {
  readonly chosenBy: string;
}

/** Adds or replaces the policy that applies from a year on. */
export async function setPolicy(
  sql: SqlSession,
  organizationId: string,
  policy: ChosenPolicy,
): Promise<InventoryPolicy> {
  const [row] = await sql.query<InventoryPolicy>(
    `INSERT INTO inventory_policies (organization_id, from_year, approach, scopes, year_starts_in, base_year, base_year_reason,
       recalculation_threshold_pct, recalculation_policy, chosen_by, chosen_at)
     VALUES ($1::uuid, $2::int, $3::text::inventory_approach, $4::text[]::emission_scope[], $5::int, $6::int, $7, $8::numeric, $9,
       $10::uuid, $11::timestamptz)
     ON CONFLICT (organization_id, from_year) DO UPDATE SET approach = EXCLUDED.approach, scopes = EXCLUDED.scopes,
       year_starts_in = EXCLUDED.year_starts_in, base_year = EXCLUDED.base_year, base_year_reason = EXCLUDED.base_year_reason,
       recalculation_threshold_pct = EXCLUDED.recalculation_threshold_pct,
       recalculation_policy = EXCLUDED.recalculation_policy, chosen_by = EXCLUDED.chosen_by, chosen_at = EXCLUDED.chosen_at
     RETURNING ${POLICY_COLUMNS}`,
    [
      organizationId,
      policy.fromYear,
      policy.approach,
      [...policy.scopes],
      policy.yearStartsIn,
      policy.baseYear,
      policy.baseYearReason,
      policy.recalculationThresholdPercentExact,
      policy.recalculationPolicy,
      policy.chosenBy,
      policy.chosenAt.toISOString(),
    ],
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}
