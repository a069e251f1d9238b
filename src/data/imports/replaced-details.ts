import { FILE_AMOUNTS, FILE_COLUMNS, RECORD_COLUMNS } from "../../domain/emissions/record-parts.js";

/** The columns of a record's calculation. */
export const CALCULATED = ["activity", "factor_id", "calculation"];

const TYPES: ReadonlyMap<string, string> = new Map([
  ...RECORD_COLUMNS.map(([, column, type]) => [column, type] as const),
  ["created_by", "uuid"],
  ["deleted_at", "timestamptz"],
]);

/** The other columns of a record that are not in files. */
export const NOT_IN_FILES = [...TYPES.keys()].filter(
  (column) => ![...CALCULATED, ...FILE_COLUMNS, ...FILE_AMOUNTS].includes(column),
);

/** Columns with their own column in `replaced_records`. The others are in its `details`. */
export const REPLACED_COLUMNS = ["recorded_on", "scope", "co2e_tonnes", "facility_id", "category", "source"];

const COLUMNS = [...TYPES.keys()].filter((column) => !REPLACED_COLUMNS.includes(column));

/**
 * Returns SQL for the details of a record that `replaced_records.details` stores: these columns; null if all are empty.
 */
export function detailsSql(record: string): string {
  const named = COLUMNS.map((name) => `'${name}', ${record}.${name}`).join(", ");
  const values = COLUMNS.map((name) => `${record}.${name}`).join(", ");
  return `CASE WHEN num_nonnulls(${values}) > 0 THEN jsonb_build_object(${named}) END`;
}

/** Returns SQL that resets these columns to their values in `details`. */
export function restoreDetailsSql(details: string): string {
  return COLUMNS.map((name) => {
    const type = TYPES.get(name);
    const value =
      type === "jsonb" ? `nullif(${details}->'${name}', 'null')` : `(${details}->>'${name}')::${type}`;
    return `${name} = ${value}`;
  }).join(", ");
}

/** Returns SQL that is true if the record had been deleted before the import. */
export const wasDeletedSql = (details: string) => `${details}->>'deleted_at' IS NOT NULL`;
