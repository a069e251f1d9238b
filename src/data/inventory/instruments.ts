import type { EnergyInstrumentKind } from "../../domain/inventory/inventory.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An energy instrument. Amounts are exact decimals. */
export interface InstrumentRow {
  readonly id: string;
  readonly reference: string;
  readonly kind: EnergyInstrumentKind;
  readonly market: string;
  /** Null for a supplier's rate, which has no energy of its own. */
  readonly mwhExact: string | null;
  readonly claimedMwhExact: string;
  readonly leftMwhExact: string | null;
  readonly rateKgPerKwhExact: string;
  readonly renewable: boolean | null;
  readonly generatedFrom: IsoDate;
  readonly generatedTo: IsoDate;
  readonly registry: string | null;
  readonly certificateNumber: string | null;
  readonly evidence: string | null;
}

/** A claim of an instrument's energy. */
export interface ClaimRow {
  readonly id: string;
  readonly reference: string;
  readonly instrumentId: string;
  readonly facilityId: string;
  readonly year: number;
  readonly mwhExact: string | null;
  readonly cancelledOn: IsoDate | null;
  readonly cancellation: string | null;
  readonly reason: string | null;
}

export const INSTRUMENT_COLUMNS = `id, reference, kind, market, trim_scale(mwh)::text AS "mwhExact", trim_scale(claimed_mwh)::text AS "claimedMwhExact",
  trim_scale(mwh - claimed_mwh)::text AS "leftMwhExact", trim_scale(rate_kg_per_kwh)::text AS "rateKgPerKwhExact", renewable,
  generated_from::text AS "generatedFrom", generated_to::text AS "generatedTo", registry, certificate_number AS "certificateNumber",
  evidence`;
export const CLAIM_COLUMNS = `id, reference, instrument_id AS "instrumentId", facility_id AS "facilityId", year, trim_scale(mwh)::text AS "mwhExact",
  cancelled_on::text AS "cancelledOn", cancellation, reason`;

/** Reads a page of energy instruments, by reference. */
export function listInstruments(tenant: TenantReader, page: PageRequest): Promise<Page<InstrumentRow>> {
  const order = { columns: [["reference", "text"]] as const, descending: false };
  const query = { select: Prisma.raw(INSTRUMENT_COLUMNS), from: own.energy_instruments, where: [], order };
  return readPage(tenant, { ...query, isIndexed: true }, page);
}

export const countInstruments = (tenant: TenantReader): Promise<number> =>
  countRows(tenant, { from: own.energy_instruments, where: [] });

export async function findInstrument(tenant: TenantReader, id: string): Promise<InstrumentRow | null> {
  const [row] = await tenant.query<InstrumentRow>(
    Prisma.sql`SELECT ${Prisma.raw(INSTRUMENT_COLUMNS)} FROM ${own.energy_instruments} WHERE id = ${id}::uuid`,
  );
  return row ?? null;
}

export async function findClaim(tenant: TenantReader, id: string): Promise<ClaimRow | null> {
  const [row] = await tenant.query<ClaimRow>(
    Prisma.sql`SELECT ${Prisma.raw(CLAIM_COLUMNS)} FROM ${own.energy_claims} WHERE id = ${id}::uuid`,
  );
  return row ?? null;
}

/** Lists up to `limit` claims of each instrument, by year and then creation, in one statement. */
export function listClaimsOfInstruments(
  tenant: TenantReader,
  instrumentIds: readonly string[],
  limit: number,
): Promise<readonly ClaimRow[]> {
  return tenant.query<ClaimRow>(Prisma.sql`
    SELECT ${Prisma.raw(CLAIM_COLUMNS)}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY instrument_id ORDER BY year, created_at, id) AS place
      FROM ${own.energy_claims} WHERE instrument_id = ANY(${[...instrumentIds]}::uuid[])
    ) AS ranked
    WHERE place <= ${limit} ORDER BY instrument_id, place`);
}
