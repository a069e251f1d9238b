import type { EmissionScope } from "../enums.js";
import type { IsoDate } from "../window.js";
import type { FileAmount, FileText } from "./record-parts.js";

/** An emission record in a file. Amounts are plain decimals. */
export interface RecordContent extends Readonly<Partial<Record<FileText | FileAmount, string | undefined>>> {
  readonly reference?: string | undefined;
  readonly recorded_on: IsoDate;
  readonly scope: EmissionScope;
  readonly co2e_tonnes: string;
  /** The facility's code. */
  readonly facility?: string | undefined;
}

/** A facility in a file; `country` is an ISO 3166-1 alpha-2 code. */
export interface FacilityContent {
  readonly code: string;
  readonly name: string;
  readonly country?: string | undefined;
}

/** Maximum number of facilities per organization, including archived ones. Each import reads all their codes. */
export const MAX_FACILITIES = 20_000;

/** A facility that an import will create. */
export interface NewFacility extends FacilityContent {
  readonly id: string;
}
