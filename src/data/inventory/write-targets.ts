import { randomUUID } from "node:crypto";
import type { SqlSession } from "../database/types.js";
import { TARGET_COLUMNS, type TargetRow } from "./targets.js";

export type TargetContent = Omit<TargetRow, "id" | "version">;

export const listOwnTargets = (sql: SqlSession, organizationId: string): Promise<TargetRow[]> =>
  sql.query<TargetRow>(`SELECT ${TARGET_COLUMNS} FROM reduction_targets WHERE organization_id = $1::uuid`, [
    organizationId,
  ]);

const valuesOf = (target: TargetContent) => [
  target.name,
  [...target.scopes],
  target.scope2Method,
  target.metric,
  target.baseYear,
  target.targetYear,
  target.reductionPercentExact,
  target.targetValueExact,
  target.actions,
];

export async function insertTarget(
  sql: SqlSession,
  organizationId: string,
  target: TargetContent,
): Promise<TargetRow> {
  const [row] = await sql.query<TargetRow>(
    `INSERT INTO reduction_targets (organization_id, id, name, scopes, scope_2_method, metric, base_year, target_year, reduction_pct,
       target_value, actions)
     VALUES ($1::uuid, $2::uuid, $3, $4::text[]::emission_scope[], $5::scope_2_method, $6, $7::int, $8::int, $9::text::numeric,
       $10::text::numeric, $11)
     RETURNING ${TARGET_COLUMNS}`,
    [organizationId, randomUUID(), ...valuesOf(target)],
  );
  return row as TargetRow;
}

/** Replaces a target's content. */
export async function updateTarget(
  sql: SqlSession,
  organizationId: string,
  { id, ...target }: TargetContent & Pick<TargetRow, "id">,
): Promise<TargetRow> {
  const [row] = await sql.query<TargetRow>(
    `UPDATE reduction_targets SET name = $3, scopes = $4::text[]::emission_scope[], scope_2_method = $5::scope_2_method, metric = $6,
       base_year = $7::int, target_year = $8::int, reduction_pct = $9::text::numeric, target_value = $10::text::numeric, actions = $11
     WHERE organization_id = $1::uuid AND id = $2::uuid RETURNING ${TARGET_COLUMNS}`,
    [organizationId, id, ...valuesOf(target)],
  );
  return row as TargetRow;
}

export async function deleteTarget(sql: SqlSession, organizationId: string, id: string): Promise<void> {
  await sql.execute("DELETE FROM reduction_targets WHERE organization_id = $1::uuid AND id = $2::uuid", [
    organizationId,
    id,
  ]);
}
