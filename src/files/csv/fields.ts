import { FILE_AMOUNTS, FILE_TEXT_NAMES, type FileAmount } from "../../domain/emissions/record-parts.js";

/** The fields of a record. */
export const RECORD_FIELDS = [
  "recorded_on",
  "scope",
  "co2e_tonnes",
  "facility",
  ...FILE_TEXT_NAMES,
  "reference",
  ...FILE_AMOUNTS,
] as const;
/** Amounts by scope, for files with a column for each scope: every amount becomes a record. */
export const SCOPE_FIELDS = ["scope_1", "scope_2", "scope_3"] as const;
/** Fields of a new facility. */
export const FACILITY_FIELDS = ["facility_name", "country"] as const;
/** The amount of an activity, and the fields that identify its emission factor. Its unit is in `unit`. */
export const ACTIVITY_FIELDS = [
  "amount",
  "activity",
  "region",
  "detail",
  "gas",
  "factor_id",
  "source_factor_id",
] as const;
/** All fields that a column or an option can provide. */
export const FIELDS = [
  ...RECORD_FIELDS,
  ...SCOPE_FIELDS,
  ...FACILITY_FIELDS,
  "unit",
  ...ACTIVITY_FIELDS,
] as const;
export type Field = (typeof FIELDS)[number];

/** Fields that a file with a column for each scope cannot have. */
export const NOT_WIDE: readonly Field[] = [
  "scope",
  "co2e_tonnes",
  "reference",
  ...FILE_AMOUNTS,
  ...ACTIVITY_FIELDS,
];

/** Source of a field's value: a column, or a constant. */
export type FieldSource =
  | { readonly name: string; readonly index: number }
  | { readonly name: string; readonly value: string };

/** The columns of a file, from its header and the options. */
export interface Columns {
  /** Number of fields that every row must have. Unread trailing columns without a name do not count. */
  readonly count: number;
  /** Number of fields in the header. */
  readonly width: number;
  readonly sources: ReadonlyMap<Field, FieldSource>;
  /** The columns that every row must have. `readAs` is null for a column that is not read. */
  readonly named: readonly { readonly name: string; readonly readAs: Field | null }[];
}

/** Returns true if rows of a file may have an activity instead of tonnes. */
export const hasActivities = ({ sources }: Pick<Columns, "sources">): boolean => sources.has("amount");

/** Returns a file's amounts other than tonnes. */
export const fileAmounts = ({ sources }: Pick<Columns, "sources">): readonly FileAmount[] =>
  FILE_AMOUNTS.filter((field) => sources.has(field));
