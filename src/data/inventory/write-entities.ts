import type { Parents } from "../../domain/inventory/entities.js";
import type { SqlSession } from "../database/types.js";
import { type EntityRow, entityColumns, type HoldingRow } from "./entities.js";

/** An entity to write. */
export interface EntityValues extends Omit<EntityRow, "id" | "version"> {}

/** Returns the parent codes of an organization's entities, by code. */
export async function readParents(sql: SqlSession, organizationId: string): Promise<Parents> {
  const rows = await sql.query<{ code: string; parent: string | null }>(
    `SELECT e.code, p.code AS parent FROM entities AS e
     LEFT JOIN entities AS p ON p.organization_id = e.organization_id AND p.id = e.parent_id WHERE e.organization_id = $1::uuid`,
    [organizationId],
  );
  return new Map(rows.map(({ code, parent }) => [code, parent]));
}

export async function findEntity(
  sql: SqlSession,
  organizationId: string,
  code: string,
): Promise<EntityRow | null> {
  const [row] = await sql.query<EntityRow>(
    `SELECT ${entityColumns("entity_holdings")} FROM entities AS e
     LEFT JOIN entities AS p ON p.organization_id = e.organization_id AND p.id = e.parent_id
     WHERE e.organization_id = $1::uuid AND e.code = $2`,
    [organizationId, code],
  );
  return row ?? null;
}

/** Returns the id of an organization's entity; null if it does not exist. */
export async function findEntityId(
  sql: SqlSession,
  organizationId: string,
  code: string,
): Promise<string | null> {
  const [row] = await sql.query<{ id: string }>(
    "SELECT id FROM entities WHERE organization_id = $1::uuid AND code = $2",
    [organizationId, code],
  );
  return row?.id ?? null;
}

/** Adds or updates an entity, and increments its version. The parent must exist. */
export async function setEntity(
  sql: SqlSession,
  organizationId: string,
  { code, name, country, parent, holdings }: EntityValues,
): Promise<void> {
  const [row] = await sql.query<{ id: string }>(
    `INSERT INTO entities (organization_id, code, name, country, parent_id)
     VALUES ($1::uuid, $2, $3, $4, (SELECT id FROM entities WHERE organization_id = $1::uuid AND code = $5))
     ON CONFLICT (organization_id, code) DO UPDATE
       SET name = EXCLUDED.name, country = EXCLUDED.country, parent_id = EXCLUDED.parent_id
     RETURNING id`,
    [organizationId, code, name, country, parent],
  );
  if (!row) throw new Error("the database returned no row");
  await setHoldings(sql, organizationId, row.id, holdings);
}

/** Replaces an entity's history of holdings. Does not touch the rows of unchanged holdings. */
async function setHoldings(
  sql: SqlSession,
  organizationId: string,
  entityId: string,
  holdings: readonly HoldingRow[],
): Promise<void> {
  const months = holdings.map(({ from }) => `${from}-01`);
  await sql.execute(
    `DELETE FROM entity_holdings
     WHERE organization_id = $1::uuid AND entity_id = $2::uuid AND from_month <> ALL ($3::text[]::date[])`,
    [organizationId, entityId, months],
  );
  await sql.execute(
    `INSERT INTO entity_holdings AS h (organization_id, entity_id, from_month, equity_share, financial_control, operational_control)
     SELECT $1::uuid, $2::uuid, (given."from" || '-01')::date, given."equityShareExact", given."financialControl"::financial_control,
       given."operationalControl"
     FROM jsonb_to_recordset($3::text::jsonb)
       AS given ("from" text, "equityShareExact" numeric, "financialControl" text, "operationalControl" boolean)
     ON CONFLICT (organization_id, entity_id, from_month) DO UPDATE SET equity_share = EXCLUDED.equity_share,
       financial_control = EXCLUDED.financial_control, operational_control = EXCLUDED.operational_control
     WHERE (h.equity_share, h.financial_control, h.operational_control)
       IS DISTINCT FROM (EXCLUDED.equity_share, EXCLUDED.financial_control, EXCLUDED.operational_control)`,
    [organizationId, entityId, JSON.stringify(holdings)],
  );
}
