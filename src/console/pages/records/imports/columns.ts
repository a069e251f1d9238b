import { type GuessedField, guessHeader } from "../../../../domain/emissions/header-words.js";
import { type RECORD_TEXTS, TEXTS } from "../read-records.js";
import type { Head } from "./read-head.js";

type Texts = typeof RECORD_TEXTS;
type FileText = {
  [Name in keyof Texts]: Texts[Name] extends { readonly file: infer Field } ? Field : never;
}[keyof Texts];

/** The text fields of a record that a file can provide. */
export const FILE_TEXTS = TEXTS.flatMap(([, { label, file }]) =>
  file ? [{ label, name: file as FileText }] : [],
);

/** The parts of a record that a file can provide, by the gateway's names. */
export const FIELDS = [
  "recorded_on",
  "facility",
  "co2e_tonnes",
  "scope",
  "amount",
  "unit",
  "activity",
  "region",
  "category",
  ...FILE_TEXTS.map(({ name }) => name),
  "reference",
  "detail",
  "gas",
  "factor_id",
  "source_factor_id",
] as const satisfies readonly GuessedField[];
export type ImportField = (typeof FIELDS)[number];

/** The source of each part of a record: a column's number from 0, a string for every row, or null. */
export type Columns = Readonly<Record<ImportField, { column: number } | { text: string } | null>>;

/** Guesses the columns by their names; a column is the source of at most one part. */
export function guessColumns({ names }: Pick<Head, "names">): Columns {
  const found = guessHeader(names);
  return Object.fromEntries(
    FIELDS.map((field) => {
      const column = found.get(field);
      return [field, column === undefined ? null : { column }];
    }),
  ) as Columns;
}

/**
 * Returns the columns as parameters of the gateway. They exclude a column that has the name of a part but is not its
 * source.
 */
export function columnParameters(columns: Columns, { names }: Pick<Head, "names">): [string, string][] {
  const used = Object.values(columns).flatMap((from) => (from && "column" in from ? [from.column] : []));
  const ignored = names.flatMap((name, index) =>
    (FIELDS as readonly string[]).includes(name.toLowerCase()) && !used.includes(index) ? [index] : [],
  );
  return [
    ...FIELDS.flatMap((field): [string, string][] => {
      const from = columns[field];
      if (from === null) return [];
      return "column" in from ? [[`map.${field}`, `#${from.column + 1}`]] : [[`set.${field}`, from.text]];
    }),
    ...ignored.map((index): [string, string] => ["ignore", `#${index + 1}`]),
  ];
}
