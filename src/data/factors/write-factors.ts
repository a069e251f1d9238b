import type { EmissionScope } from "../../domain/enums.js";
import type { Unit } from "../../domain/ghg/units.js";
import type { SqlSession } from "../database/types.js";
import { FACTOR_COLUMNS, type FactorRow } from "./factors.js";

/** An organization's own emission factor; `factor` is a plain decimal, in kilograms of the gas per unit. */
export interface NewFactor {
  readonly id: string;
  readonly activity: string;
  readonly region: string;
  readonly scope: EmissionScope;
  readonly category: string;
  readonly gas: string;
  readonly factor: string;
  readonly unit: Unit;
  readonly source: string;
  readonly sourceUrl: string;
  readonly sourceYear: number;
}

/** Adds a factor, marked as verified; null if it already exists. */
export async function insertFactor(
  sql: SqlSession,
  organizationId: string,
  { id, activity, region, scope, category, gas, factor, unit, source, sourceUrl, sourceYear }: NewFactor,
): Promise<FactorRow | null> {
  const [added] = await sql.query<FactorRow>(
    `INSERT INTO emission_factors (organization_id, id, activity, region, scope, category, gas, factor, unit, dimension, qualifier,
       source, source_url, source_year, verified)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5::emission_scope, $6, $7, $8::numeric, $9, $10, $11::calorific_value, $12, $13, $14, true)
     ON CONFLICT (id) DO NOTHING RETURNING ${FACTOR_COLUMNS}`,
    [
      organizationId,
      id,
      activity,
      region,
      scope,
      category,
      gas,
      factor,
      unit.name,
      unit.dimension,
      unit.qualifier,
      source,
      sourceUrl,
      sourceYear,
    ],
  );
  return added ?? null;
}

/** Returns the organization's own factor with this id. Throws if it does not exist. */
export async function requireOwnFactor(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<FactorRow> {
  const [factor] = await sql.query<FactorRow>(
    `SELECT ${FACTOR_COLUMNS} FROM emission_factors WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [organizationId, id],
  );
  if (!factor) throw new Error(`the emission factor ${id} disappeared`);
  return factor;
}

/** Counts an organization's own factors. */
export async function countOwnFactors(sql: SqlSession, organizationId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM emission_factors WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return row?.count ?? 0;
}
