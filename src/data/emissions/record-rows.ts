import type { EmissionScope } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import type { EmissionRecord } from "../../generated/prisma/client.js";

/** The parts of a record that people write, each with its column and its type, in the order in which a conflict lists them. */
export const RECORD_PARTS = {
  recordedOn: ["recorded_on", "date"],
  scope: ["scope", "emission_scope"],
  co2eTonnes: ["co2e_tonnes", "numeric"],
  activity: ["activity", "jsonb"],
  facilityId: ["facility_id", "uuid"],
  category: ["category", "text"],
  source: ["source", "text"],
  marketBasedTonnes: ["market_based_tonnes", "numeric"],
  note: ["note", "text"],
  calculation: ["calculation", "jsonb"],
  factorId: ["factor_id", "uuid"],
} as const;

export type RecordPart = keyof typeof RECORD_PARTS;

/** Amounts are plain decimals. */
interface ValuesByType {
  readonly date: IsoDate;
  readonly emission_scope: EmissionScope;
  readonly numeric: string;
  readonly jsonb: object | null;
  readonly uuid: string | null;
  readonly text: string | null;
}

/** What people write. The activity, the calculation and the factor's id are null if the amount was given. */
export type RecordValues = {
  readonly [Part in Exclude<RecordPart, "marketBasedTonnes">]: ValuesByType[(typeof RECORD_PARTS)[Part][1]];
} & { readonly marketBasedTonnes: string | null };

type Amount = "co2eTonnes" | "marketBasedTonnes";

/** A record as it is read: amounts with every digit, and JSON of the activity and of the calculation. */
export type RecordRow = Omit<RecordValues, Amount | "activity" | "calculation" | "factorId"> &
  Readonly<Pick<EmissionRecord, "id" | "reference" | "version" | "createdAt" | "updatedAt" | "createdBy">> & {
    readonly [Part in Amount as `${Part}Exact`]: RecordValues[Part];
  } & { readonly [Part in "activity" | "calculation"]: string | null };

const selectPart = ([part, [column, type]]: [string, readonly [string, string]]): string =>
  type === "numeric" ? `trim_scale(${column})::text AS "${part}Exact"` : `${column}::text AS "${part}"`;

/** The columns of a RecordRow. */
export const RECORD_COLUMNS = [
  "id",
  "reference",
  "version",
  'created_at AS "createdAt"',
  'updated_at AS "updatedAt"',
  'created_by AS "createdBy"',
  ...Object.entries(RECORD_PARTS)
    .filter(([part]) => part !== "factorId")
    .map(selectPart),
].join(", ");
