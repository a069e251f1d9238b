import type { EmissionScope } from "../enums.js";
import type { IsoDate } from "../window.js";

/** Type of an exported column. Amounts have six decimals; times are in UTC with milliseconds. */
export type ExportType = "day" | "name" | "amount" | "text" | "id" | "count" | "time";

/** A column of an export. */
export interface ExportColumn {
  readonly name: string;
  readonly type: ExportType;
  /** True if every record has a value. */
  readonly required?: true;
}

/** Columns for an import, in the order of the digest. */
const IMPORT = [
  { name: "recorded_on", type: "day", required: true },
  { name: "scope", type: "name", required: true },
  { name: "co2e_tonnes", type: "amount", required: true },
  { name: "facility", type: "text" },
  { name: "category", type: "text" },
  { name: "source", type: "text" },
  { name: "reference", type: "text" },
] as const satisfies readonly ExportColumn[];

const FULL = [
  ...IMPORT,
  { name: "id", type: "id", required: true },
  { name: "version", type: "count", required: true },
  { name: "facility_name", type: "text" },
  { name: "facility_country", type: "text" },
  { name: "market_based_tonnes", type: "amount" },
  { name: "note", type: "text" },
  { name: "factor_id", type: "id" },
  { name: "import_id", type: "id" },
  { name: "created_at", type: "time", required: true },
  { name: "updated_at", type: "time" },
  { name: "energy_kwh", type: "amount" },
  { name: "biogenic_co2_tonnes", type: "amount" },
] as const satisfies readonly ExportColumn[];

export type ExportColumnName = (typeof FULL)[number]["name"];

/** Sets of columns to export. `full` begins with the columns of `import`. */
export const EXPORT_COLUMNS = { import: IMPORT, full: FULL } as const;
export type ExportColumns = keyof typeof EXPORT_COLUMNS;

/** Number of columns in the digest. */
export const DIGEST_WIDTH = IMPORT.length;

export const EXPORT_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Values of records as strings, in the order of the columns; null for a missing value. */
export type ExportRows = readonly (readonly (string | null)[])[];

/** Filter for records to export. A record matches a list if it has any of the values. */
export interface ExportFilter {
  readonly from?: IsoDate | undefined;
  readonly to?: IsoDate | undefined;
  readonly scopes?: readonly EmissionScope[] | undefined;
  /** Codes of facilities. */
  readonly facilities?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly references?: readonly string[] | undefined;
  /** Substring of any text in the record. */
  readonly search?: string | undefined;
}

/** Format of an export. */
export interface ExportFile {
  readonly format: ExportFormat;
  readonly columns: ExportColumns;
  readonly bom: boolean;
  /** True to put an apostrophe before strings that a spreadsheet would read as formulas. */
  readonly guard: boolean;
}
