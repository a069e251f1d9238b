import type { MappingKey } from "../../domain/ghg/activity-mapping.js";
import type { SqlSession } from "../database/types.js";
import { MAPPING_COLUMNS, type MappingRow } from "./mappings.js";

export interface NewMapping
  extends MappingKey,
    Pick<MappingRow, "text" | "unit" | "unitAs" | "factorId" | "fixedYear"> {}

export interface KeyedMapping extends MappingRow, Pick<MappingKey, "textKey" | "unitKey"> {
  /** E-mail address of the user, or name of the service account, that set it last; null for an operator. */
  readonly setBy: string | null;
}

/** Lists an organization's mappings: all, or those with the given keys. */
export function listKeyedMappings(
  sql: Pick<SqlSession, "query">,
  organizationId: string,
  keys?: readonly MappingKey[],
): Promise<KeyedMapping[]> {
  const wanted =
    keys === undefined
      ? ""
      : `JOIN jsonb_to_recordset($2::text::jsonb) AS k ("textKey" text, "unitKey" text, region text)
       ON m.text_key = k."textKey" AND m.unit_key = k."unitKey" AND m.region = k.region`;
  return sql.query<KeyedMapping>(
    `SELECT ${MAPPING_COLUMNS}, m.text_key AS "textKey", m.unit_key AS "unitKey", coalesce(u.email, s.name) AS "setBy"
     FROM activity_mappings AS m ${wanted} LEFT JOIN users AS u ON u.id = m.set_by
       LEFT JOIN service_accounts AS s ON s.id = m.set_by WHERE m.organization_id = $1::uuid`,
    keys === undefined ? [organizationId] : [organizationId, JSON.stringify(keys)],
  );
}

interface Setter {
  readonly organizationId: string;
  /** Id of the user or service account; null for an operator. */
  readonly userId: string | null;
  readonly now: Date;
}

// A mapping with the same content keeps its version and `set_by`.
const SET = `INSERT INTO activity_mappings AS m (organization_id, text, text_key, unit, unit_key, unit_as, region, factor_id,
    fixed_year, created_by, set_by, updated_at)
  SELECT $1::uuid, text, "textKey", unit, "unitKey", "unitAs", region, "factorId", "fixedYear", $2::uuid, $2::uuid, $3::timestamptz
  FROM jsonb_to_recordset($4::text::jsonb) AS new (text text, "textKey" text, unit text, "unitKey" text, "unitAs" text,
    region text, "factorId" uuid, "fixedYear" boolean)
  ON CONFLICT (organization_id, text_key, unit_key, region) DO UPDATE SET text = EXCLUDED.text, unit = EXCLUDED.unit,
    unit_as = EXCLUDED.unit_as, factor_id = EXCLUDED.factor_id, fixed_year = EXCLUDED.fixed_year, set_by = EXCLUDED.set_by,
    updated_at = EXCLUDED.updated_at
  WHERE (m.unit_as, m.factor_id, m.fixed_year) IS DISTINCT FROM (EXCLUDED.unit_as, EXCLUDED.factor_id, EXCLUDED.fixed_year)`;

/** Adds or replaces mappings, each with a different key. Returns the organization's new number of mappings. */
export async function writeMappings(
  sql: SqlSession,
  { organizationId, userId, now }: Setter,
  mappings: readonly NewMapping[],
): Promise<number> {
  await sql.execute(SET, [organizationId, userId, now.toISOString(), JSON.stringify(mappings)]);
  const [row] = await sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM activity_mappings WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return row?.count ?? 0;
}

/** Locks a mapping until the transaction ends, and returns it; null if it does not exist. */
export async function lockMapping(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<MappingRow | null> {
  const [row] = await sql.query<MappingRow>(
    `SELECT ${MAPPING_COLUMNS} FROM activity_mappings AS m WHERE organization_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    [organizationId, id],
  );
  return row ?? null;
}

export async function deleteMappingRow(sql: SqlSession, organizationId: string, id: string): Promise<void> {
  await sql.execute("DELETE FROM activity_mappings WHERE organization_id = $1::uuid AND id = $2::uuid", [
    organizationId,
    id,
  ]);
}
