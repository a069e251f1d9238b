import type { Columns } from "../fields.js";
import type { GivenOptions } from "../given-options.js";
import type { Problem } from "../problems.js";
import type { FormatQuestion } from "./formats.js";
import type { RawRecord } from "./head.js";

/** A record as an import would read it. Missing values are null. */
export interface PreviewedRecord {
  readonly recordedOn: string;
  readonly facility: string | null;
  readonly scope: string | null;
  readonly co2eTonnes: string | null;
  readonly amount: string | null;
  readonly unit: string | null;
  readonly activity: string | null;
}

/** The first rows of a file as an import would read them. */
export interface Preview {
  /** The given options, and guesses for the others. */
  readonly options: GivenOptions;
  readonly questions: readonly FormatQuestion[];
  readonly columns: Columns["named"];
  readonly rows: readonly (RawRecord & { readonly records: readonly PreviewedRecord[] })[];
  /** Problems in the first rows. */
  readonly problems: readonly Problem[];
  /** Codes of facilities that the organization does not have yet. */
  readonly newFacilities: readonly string[];
  /** True if rows have an activity, but neither a region nor a facility with a country. */
  readonly needsCountry: boolean;
}
