import { FILE_COLUMNS, RECORD_COLUMNS } from "../../domain/emissions/record-parts.js";

/** The columns that say how a record's amount was calculated. */
export const CALCULATED = ["activity", "factor_id", "calculation"];

const TYPES: ReadonlyMap<string, string> = new Map([
  ...RECORD_COLUMNS.map(([, column, type]) => [column, type] as const),
  ["created_by", "uuid"],
  ["deleted_at", "timestamptz"],
]);

/** The other columns of a record that no file has. */
export const NOT_IN_FILES = [...TYPES.keys()].filter(
  (column) => !CALCULATED.includes(column) && !FILE_COLUMNS.includes(column),
);

/** The columns that `replaced_records` has of its own. */
export const REPLACED_COLUMNS = ["recorded_on", "scope", "co2e_tonnes", "facility_id", "category", "source"];

const COLUMNS = [...TYPES.keys()].filter((column) => !REPLACED_COLUMNS.includes(column));

/** SQL for what `replaced_records.details` keeps of a record: these columns; null if the record has none of them. */
export function detailsSql(record: string): string {
  const named = COLUMNS.map((name) => `'${name}', ${record}.${name}`).join(", ");
  const values = COLUMNS.map((name) => `${record}.${name}`).join(", ");
  return `CASE WHEN num_nonnulls(${values}) > 0 THEN jsonb_build_object(${named}) END`;
}

/** SQL that sets these columns back to what `details` kept of them. */
export function restoreDetailsSql(details: string): string {
  return COLUMNS.map((name) => {
    const type = TYPES.get(name);
    const value =
      type === "jsonb" ? `nullif(${details}->'${name}', 'null')` : `(${details}->>'${name}')::${type}`;
    return `${name} = ${value}`;
  }).join(", ");
}

/** SQL for whether the record had been deleted before the import. */
export const wasDeletedSql = (details: string) => `${details}->>'deleted_at' IS NOT NULL`;
