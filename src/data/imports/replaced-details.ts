import { FILE_AMOUNTS, FILE_COLUMNS, RECORD_COLUMNS } from "../../domain/emissions/record-parts.js";

/** Columns of a record's calculation. */
export const CALCULATED = ["activity", "factor_id", "calculation"];

const TYPES: ReadonlyMap<string, string> = new Map([
  ...RECORD_COLUMNS.map(([, column, type]) => [column, type] as const),
  ["created_by", "uuid"],
  ["deleted_at", "timestamptz"],
]);

/** Other columns of a record that files lack. */
export const NOT_IN_FILES = [...TYPES.keys()].filter(
  (column) => ![...CALCULATED, ...FILE_COLUMNS, ...FILE_AMOUNTS].includes(column),
);

/** Columns that `replaced_records` also has. It stores the others in `details`. */
export const REPLACED_COLUMNS = ["recorded_on", "scope", "co2e_tonnes", "facility_id", "category", "source"];

const COLUMNS = [...TYPES.keys()].filter((column) => !REPLACED_COLUMNS.includes(column));

/** Returns SQL for the `details` of a record: the other columns as JSON; null if all of them are null. */
export function detailsSql(record: string): string {
  const named = COLUMNS.map((name) => `'${name}', ${record}.${name}`).join(", ");
  const values = COLUMNS.map((name) => `${record}.${name}`).join(", ");
  return `CASE WHEN num_nonnulls(${values}) > 0 THEN jsonb_build_object(${named}) END`;
}

/** Returns SQL assignments that reset these columns to their values in `details`. */
export function restoreDetailsSql(details: string): string {
  return COLUMNS.map((name) => {
    const type = TYPES.get(name);
    const value =
      type === "jsonb" ? `nullif(${details}->'${name}', 'null')` : `(${details}->>'${name}')::${type}`;
    return `${name} = ${value}`;
  }).join(", ");
}

/** Returns the SQL condition that the record was deleted before the import. */
export const wasDeletedSql = (details: string) => `${details}->>'deleted_at' IS NOT NULL`;
