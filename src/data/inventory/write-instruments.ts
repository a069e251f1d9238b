import type { SqlSession } from "../database/types.js";
import { CLAIM_COLUMNS, type ClaimRow, INSTRUMENT_COLUMNS, type InstrumentRow } from "./instruments.js";

/** An energy instrument to add. */
export type NewInstrument = Omit<InstrumentRow, "id" | "claimedMwhExact" | "leftMwhExact">;

/** Finds an organization's instrument by id, reference or registry number; null if it does not exist. */
export async function findOwnInstrument(
  sql: SqlSession,
  organizationId: string,
  which: { id: string } | { reference: string } | { registry: string; number: string },
): Promise<InstrumentRow | null> {
  const condition =
    "id" in which
      ? "id = $2::uuid"
      : "reference" in which
        ? "reference = $2"
        : "registry = $2 AND certificate_number = $3";
  const [row] = await sql.query<InstrumentRow>(
    `SELECT ${INSTRUMENT_COLUMNS} FROM energy_instruments WHERE organization_id = $1::uuid AND ${condition}`,
    [organizationId, ...Object.values(which)],
  );
  return row ?? null;
}

export async function insertInstrument(
  sql: SqlSession,
  organizationId: string,
  instrument: NewInstrument,
): Promise<InstrumentRow> {
  const { reference, kind, market, mwhExact, rateKgPerKwhExact, renewable, generatedFrom, generatedTo } =
    instrument;
  const { registry, certificateNumber, evidence } = instrument;
  const [row] = await sql.query<InstrumentRow>(
    `INSERT INTO energy_instruments (organization_id, reference, kind, market, mwh, rate_kg_per_kwh, renewable, generated_from, generated_to,
       registry, certificate_number, evidence)
     VALUES ($1::uuid, $2, $3::text::instrument_kind, $4, $5::text::numeric, $6::text::numeric, $7::boolean, $8::date, $9::date, $10, $11, $12)
     RETURNING ${INSTRUMENT_COLUMNS}`,
    [
      organizationId,
      reference,
      kind,
      market,
      mwhExact,
      rateKgPerKwhExact,
      renewable,
      generatedFrom,
      generatedTo,
      registry,
      certificateNumber,
      evidence,
    ],
  );
  return row as InstrumentRow;
}

/** A facility, with its market to compare with that of an instrument. */
export interface ClaimingFacility {
  readonly id: string;
  readonly code: string;
  /** Its electricity market, or else its country; null if it has neither. */
  readonly market: string | null;
}

/** Finds an organization's facility by code; null if it does not exist. */
export async function findClaimingFacility(
  sql: SqlSession,
  organizationId: string,
  code: string,
): Promise<ClaimingFacility | null> {
  const [facility] = await sql.query<ClaimingFacility>(
    `SELECT id, code, coalesce(electricity_market, country::text) AS market FROM facilities
     WHERE organization_id = $1::uuid AND code = $2`,
    [organizationId, code],
  );
  return facility ?? null;
}

/** Finds the latest claim of a facility whose instrument is from another market; null if it has none. */
export async function findClaimOutside(
  sql: SqlSession,
  organizationId: string,
  facilityId: string,
  market: string | null,
): Promise<{ readonly year: number; readonly instrument: string; readonly market: string } | null> {
  const [claim] = await sql.query<{ year: number; instrument: string; market: string }>(
    `SELECT c.year, i.reference AS instrument, i.market
     FROM energy_claims AS c JOIN energy_instruments AS i ON i.organization_id = c.organization_id AND i.id = c.instrument_id
     WHERE c.organization_id = $1::uuid AND c.facility_id = $2::uuid AND i.market IS DISTINCT FROM $3::text
     ORDER BY c.year DESC LIMIT 1`,
    [organizationId, facilityId, market],
  );
  return claim ?? null;
}

/** Returns the first month of an organization's inventory years, 1 to 12: by its policies, or else January. */
export async function findYearStart(sql: SqlSession, organizationId: string): Promise<number> {
  const [policies] = await sql.query<{ month: number }>(
    "SELECT coalesce(min(year_starts_in), 1) AS month FROM inventory_policies WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return policies?.month ?? 1;
}

/** Finds an organization's claim by reference; null if it does not exist. */
export async function findOwnClaim(
  sql: SqlSession,
  organizationId: string,
  reference: string,
): Promise<ClaimRow | null> {
  const [row] = await sql.query<ClaimRow>(
    `SELECT ${CLAIM_COLUMNS} FROM energy_claims WHERE organization_id = $1::uuid AND reference = $2`,
    [organizationId, reference],
  );
  return row ?? null;
}

/** Numbers of existing claims that count towards the limits of a new one. */
export interface ClaimCounts {
  readonly ofYear: number;
  readonly ofInstrument: number;
  /** The facility's claims of a supplier's rate in the year. */
  readonly rates: number;
}

export async function countClaims(
  sql: SqlSession,
  organizationId: string,
  { instrumentId, facilityId, year }: Pick<ClaimRow, "instrumentId" | "facilityId" | "year">,
): Promise<ClaimCounts> {
  const [counts] = await sql.query<ClaimCounts>(
    `SELECT (SELECT count(*)::int FROM energy_claims WHERE organization_id = $1::uuid AND year = $2::int) AS "ofYear",
       (SELECT count(*)::int FROM energy_claims WHERE organization_id = $1::uuid AND instrument_id = $3::uuid) AS "ofInstrument",
       (SELECT count(*)::int FROM energy_claims WHERE organization_id = $1::uuid AND year = $2::int AND facility_id = $4::uuid
          AND kind = 'supplier_rate') AS rates`,
    [organizationId, year, instrumentId, facilityId],
  );
  return counts as ClaimCounts;
}

/** Adds a claim of an instrument, which must have enough unclaimed energy. `kind` is the instrument's. */
export async function insertClaim(
  sql: SqlSession,
  organizationId: string,
  {
    instrumentId,
    facilityId,
    year,
    mwhExact,
    cancelledOn,
    cancellation,
    reason,
    reference,
  }: Omit<ClaimRow, "id">,
  kind: InstrumentRow["kind"],
): Promise<ClaimRow> {
  const [row] = await sql.query<ClaimRow>(
    `INSERT INTO energy_claims (organization_id, instrument_id, kind, facility_id, year, mwh, cancelled_on, cancellation, reason, reference)
     VALUES ($1::uuid, $2::uuid, $3::text::instrument_kind, $4::uuid, $5::int, $6::text::numeric, $7::date, $8, $9, $10) RETURNING ${CLAIM_COLUMNS}`,
    [
      organizationId,
      instrumentId,
      kind,
      facilityId,
      year,
      mwhExact,
      cancelledOn,
      cancellation,
      reason,
      reference,
    ],
  );
  return row as ClaimRow;
}

/** Locks and returns an organization's claim; null if it does not exist. */
export async function lockClaim(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<ClaimRow | null> {
  const [row] = await sql.query<ClaimRow>(
    `SELECT ${CLAIM_COLUMNS} FROM energy_claims WHERE organization_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    [organizationId, id],
  );
  return row ?? null;
}

/** Deletes a claim. The audit trail keeps it with this reason instead of the claim's own. */
export async function deleteClaim(
  sql: SqlSession,
  organizationId: string,
  id: string,
  reason: string,
): Promise<void> {
  const which = "WHERE organization_id = $1::uuid AND id = $2::uuid";
  await sql.execute(`UPDATE energy_claims SET reason = $3 ${which}`, [organizationId, id, reason]);
  await sql.execute(`DELETE FROM energy_claims ${which}`, [organizationId, id]);
}
