import { FILE_TEXT_NAMES } from "../../domain/emissions/record-parts.js";

/** The fields of a record. */
export const RECORD_FIELDS = [
  "recorded_on",
  "scope",
  "co2e_tonnes",
  "facility",
  ...FILE_TEXT_NAMES,
  "reference",
] as const;
/** Amounts by scope, for files with a column for each scope: every amount becomes a record. */
export const SCOPE_FIELDS = ["scope_1", "scope_2", "scope_3"] as const;
/** What is read of a facility that is to be created. */
export const FACILITY_FIELDS = ["facility_name", "country"] as const;
/** An amount of an activity, and what names its emission factor; its unit is `unit`. */
export const ACTIVITY_FIELDS = [
  "amount",
  "activity",
  "region",
  "detail",
  "gas",
  "factor_id",
  "source_factor_id",
] as const;
/** Every field that a column or an option may give. */
export const FIELDS = [
  ...RECORD_FIELDS,
  ...SCOPE_FIELDS,
  ...FACILITY_FIELDS,
  "unit",
  ...ACTIVITY_FIELDS,
] as const;
export type Field = (typeof FIELDS)[number];

/** Fields that a file with a column for each scope cannot have. */
export const NOT_WIDE: readonly Field[] = ["scope", "co2e_tonnes", "reference", ...ACTIVITY_FIELDS];

/** Where a field's text comes from: a column, or the same text for every row. */
export type FieldSource =
  | { readonly name: string; readonly index: number }
  | { readonly name: string; readonly value: string };

/** The columns of a file, as its header and the options tell. */
export interface Columns {
  /** How many fields every row must have: trailing columns that have no name and are not read do not count. */
  readonly count: number;
  /** How many fields the header has. */
  readonly width: number;
  readonly sources: ReadonlyMap<Field, FieldSource>;
  /** The columns that every row must have, and the field that each is read as; null for one that is not read. */
  readonly named: readonly { readonly name: string; readonly readAs: Field | null }[];
}

/** Returns true if rows of a file may have an amount of an activity instead of tonnes. */
export const hasActivities = ({ sources }: Pick<Columns, "sources">): boolean => sources.has("amount");
