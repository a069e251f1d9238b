import { MAX_FACILITIES } from "../../domain/emissions/records.js";
import type { SqlSession } from "../database/types.js";
import { lockOrganizationRow } from "../organizations/lock-row.js";
import { FACILITY_COLUMNS, type FacilityRow } from "./facilities.js";

const COLUMNS = FACILITY_COLUMNS.replace(
  " entity,",
  ` (SELECT e.code FROM entities AS e
    WHERE e.organization_id = facilities.organization_id AND e.id = facilities.entity_id) AS entity,`,
);

/** A facility to add; `country` is an ISO 3166-1 alpha-2 code. */
export interface NewFacility {
  readonly code: string;
  readonly name: string;
  readonly country: string | null;
}

/** Adds a facility; null if the organization already has one with this code. */
export async function insertFacility(
  sql: SqlSession,
  organizationId: string,
  { code, name, country }: NewFacility,
): Promise<FacilityRow | null> {
  const [added] = await sql.query<FacilityRow>(
    `INSERT INTO facilities (id, organization_id, code, name, country) VALUES (gen_random_uuid(), $1::uuid, $2, $3, $4)
     ON CONFLICT (organization_id, code) DO NOTHING RETURNING ${COLUMNS}`,
    [organizationId, code, name, country],
  );
  return added ?? null;
}

/**
 * Locks the organization, and returns true if it has more facilities than it may. Call it after adding some, so that of
 * several writers the last one counts them all.
 */
export async function hasTooManyFacilities(sql: SqlSession, organizationId: string): Promise<boolean> {
  await lockOrganizationRow(sql, organizationId);
  const [row] = await sql.query<{ isMore: boolean }>(
    `SELECT count(*) > $2::int AS "isMore" FROM facilities WHERE organization_id = $1::uuid`,
    [organizationId, MAX_FACILITIES],
  );
  return row?.isMore === true;
}

/** Locks and returns a facility, by id or code; null if it does not exist. */
export async function lockFacility(
  sql: SqlSession,
  organizationId: string,
  which: { readonly id: string } | { readonly code: string },
): Promise<FacilityRow | null> {
  const [condition, value] = "id" in which ? ["id = $2::uuid", which.id] : ["code = $2", which.code];
  const [facility] = await sql.query<FacilityRow>(
    `SELECT ${COLUMNS} FROM facilities WHERE organization_id = $1::uuid AND ${condition} FOR NO KEY UPDATE`,
    [organizationId, value],
  );
  return facility ?? null;
}

/** The values of a facility that users can change. */
export type FacilityValues = Pick<
  FacilityRow,
  "name" | "country" | "entity" | "electricityMarket" | "archivedAt"
>;

/** Sets a facility's values. The entity must exist. */
export async function updateFacility(
  sql: SqlSession,
  organizationId: string,
  id: string,
  { name, country, entity, electricityMarket, archivedAt }: FacilityValues,
): Promise<FacilityRow> {
  const [facility] = await sql.query<FacilityRow>(
    `UPDATE facilities SET name = $3, country = $4, archived_at = $5::timestamptz, electricity_market = $6,
       entity_id = (SELECT id FROM entities WHERE organization_id = $1::uuid AND code = $7)
     WHERE organization_id = $1::uuid AND id = $2::uuid RETURNING ${COLUMNS}`,
    [organizationId, id, name, country, archivedAt?.toISOString() ?? null, electricityMarket, entity],
  );
  if (!facility) throw new Error(`the facility ${id} disappeared while it was locked`);
  return facility;
}

/** Returns the codes of facilities by id. */
export async function findFacilityCodes(
  sql: SqlSession,
  organizationId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = ids.filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const found = await sql.query<{ id: string; code: string }>(
    "SELECT id, code FROM facilities WHERE organization_id = $1::uuid AND id = ANY($2::uuid[])",
    [organizationId, wanted],
  );
  return new Map(found.map(({ id, code }) => [id, code]));
}
