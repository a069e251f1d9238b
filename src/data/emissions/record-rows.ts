import type { EmissionScope } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import type { EmissionRecord } from "../../generated/prisma/client.js";

export interface RecordRow
  extends Readonly<
    Pick<
      EmissionRecord,
      | ("id" | "reference" | "scope" | "facilityId" | "category" | "source" | "note" | "version")
      | ("createdAt" | "updatedAt" | "createdBy")
    >
  > {
  readonly recordedOn: IsoDate;
  /** Every digit of the amount, as a plain decimal; the same of the other one. */
  readonly co2eTonnesExact: string;
  readonly marketBasedTonnesExact: string | null;
  /** JSON of the activity that the amount was calculated from, and of the calculation. */
  readonly activity: string | null;
  readonly calculation: string | null;
}

/** The columns of a RecordRow. */
export const RECORD_COLUMNS = `id, reference, recorded_on::text AS "recordedOn", scope::text AS scope,
  trim_scale(co2e_tonnes)::text AS "co2eTonnesExact", facility_id AS "facilityId", category, source,
  trim_scale(market_based_tonnes)::text AS "marketBasedTonnesExact", note, activity::text AS activity,
  calculation::text AS calculation, version, created_at AS "createdAt", updated_at AS "updatedAt", created_by AS "createdBy"`;

/** The parts of a record that people write. Null empties a part. */
export interface RecordValues {
  readonly recordedOn: IsoDate;
  readonly scope: EmissionScope;
  /** A plain decimal, as the other amount. */
  readonly co2eTonnes: string;
  readonly facilityId: string | null;
  readonly category: string | null;
  readonly source: string | null;
  readonly marketBasedTonnes: string | null;
  readonly note: string | null;
  /** Any JSON; both are null, and the factor's id too, if the amount was given. */
  readonly activity: object | null;
  readonly calculation: object | null;
  readonly factorId: string | null;
}
