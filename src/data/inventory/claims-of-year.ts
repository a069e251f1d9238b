import type { EnergyInstrumentKind } from "../../domain/inventory/inventory.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A claim with its instrument and facility. Amounts are exact decimals. */
export interface ClaimOfYear {
  readonly facilityId: string;
  readonly facilityCode: string;
  readonly instrumentId: string;
  readonly kind: EnergyInstrumentKind;
  /** Reference of the instrument. */
  readonly reference: string;
  readonly registry: string | null;
  readonly certificateNumber: string | null;
  readonly market: string;
  /** Null for a supplier's rate, which applies to all remaining electricity. */
  readonly mwhExact: string | null;
  readonly rateKgPerKwhExact: string;
  readonly renewable: boolean | null;
  readonly cancelledOn: IsoDate | null;
  readonly cancellation: string | null;
  readonly reason: string | null;
  readonly generatedFrom: IsoDate;
  readonly generatedTo: IsoDate;
}

/** Lists the claims of a year, at most 10,000, oldest first. */
export function listClaimsOfYear(tenant: TenantReader, year: number): Promise<readonly ClaimOfYear[]> {
  return tenant.query<ClaimOfYear>(Prisma.sql`
    SELECT f.id AS "facilityId", f.code AS "facilityCode", i.id AS "instrumentId", i.kind, i.reference, i.registry,
      i.certificate_number AS "certificateNumber", i.market, trim_scale(c.mwh)::text AS "mwhExact",
      trim_scale(i.rate_kg_per_kwh)::text AS "rateKgPerKwhExact", i.renewable, c.cancelled_on::text AS "cancelledOn",
      c.cancellation, c.reason, i.generated_from::text AS "generatedFrom", i.generated_to::text AS "generatedTo"
    FROM ${own.energy_claims} AS c
      JOIN ${own.energy_instruments} AS i ON i.id = c.instrument_id
      JOIN ${own.facilities} AS f ON f.id = c.facility_id
    WHERE c.year = ${year} ORDER BY c.created_at, c.id`);
}
