import {
  RECORD_COLUMNS as COLUMNS,
  type RECORD_PARTS,
  type RecordPart,
} from "../../domain/emissions/record-parts.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import type { EmissionRecord } from "../../generated/prisma/client.js";

/** Amounts are plain decimals. */
interface ValuesByType {
  readonly date: IsoDate;
  readonly emission_scope: EmissionScope;
  readonly numeric: string;
  readonly jsonb: object | null;
  readonly uuid: string | null;
  readonly text: string | null;
}

/** Values that users write. `activity`, `calculation` and `factorId` are null for an amount entered in tonnes. */
export type RecordValues = {
  readonly [Part in Exclude<RecordPart, OptionalAmount>]: ValuesByType[(typeof RECORD_PARTS)[Part]["type"]];
} & { readonly [Part in OptionalAmount]: string | null };

type OptionalAmount = "marketBasedTonnes" | "energyKwh" | "biogenicCo2Tonnes";
type Amount = "co2eTonnes" | OptionalAmount;

/** A record as queries return it, with exact amounts, and the activity and calculation as JSON. */
export type RecordRow = Omit<RecordValues, Amount | "activity" | "calculation" | "factorId"> &
  Readonly<Pick<EmissionRecord, "id" | "reference" | "version" | "createdAt" | "updatedAt" | "createdBy">> & {
    readonly [Part in Amount as `${Part}Exact`]: RecordValues[Part];
  } & { readonly [Part in "activity" | "calculation"]: string | null };

/** The columns of a RecordRow. */
export const RECORD_COLUMNS = [
  "id",
  "reference",
  "version",
  'created_at AS "createdAt"',
  'updated_at AS "updatedAt"',
  'created_by AS "createdBy"',
  ...COLUMNS.filter(([part]) => part !== "factorId").map(([part, column, type]) =>
    type === "numeric" ? `trim_scale(${column})::text AS "${part}Exact"` : `${column}::text AS "${part}"`,
  ),
].join(", ");

/** Returns a record's amounts under the names used for writing. */
export const amountsOf = (record: RecordRow): Pick<RecordValues, Amount> => ({
  co2eTonnes: record.co2eTonnesExact,
  marketBasedTonnes: record.marketBasedTonnesExact,
  energyKwh: record.energyKwhExact,
  biogenicCo2Tonnes: record.biogenicCo2TonnesExact,
});
