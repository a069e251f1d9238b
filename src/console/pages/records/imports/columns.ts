import { type RECORD_TEXTS, TEXTS } from "../read-records.js";
import type { Head } from "./read-head.js";

type Texts = typeof RECORD_TEXTS;
type FileText = {
  [Name in keyof Texts]: Texts[Name] extends { readonly file: { readonly name: infer Field } }
    ? Field
    : never;
}[keyof Texts];

/** The texts of a record that a file can give. */
export const FILE_TEXTS = TEXTS.flatMap(([, { label, file }]) =>
  file ? [{ label, name: file.name as FileText, words: file.words }] : [],
);

/** The parts of a record that a file can give, by the names that the gateway knows them by. */
export const FIELDS = [
  "recorded_on",
  "scope",
  "co2e_tonnes",
  "facility",
  "category",
  ...FILE_TEXTS.map(({ name }) => name),
  "reference",
] as const;
export type ImportField = (typeof FIELDS)[number];

/** Words by which a header is recognised, most telling first. */
const WORDS: Readonly<Record<ImportField, RegExp>> = {
  recorded_on: /^recorded.?on$|\bday\b|\bdate\b|\bmonth\b|\bperiod\b/i,
  scope: /^scope$|\bscope\b/i,
  co2e_tonnes: /^co2e.?tonnes$|co2|emission|tonnes|\btotal\b/i,
  facility: /^facility$|facility|\bsite\b|plant|location|office/i,
  category: /^category$|category|\btype\b|activity/i,
  ...(Object.fromEntries(FILE_TEXTS.map(({ name, words }) => [name, words])) as Record<FileText, RegExp>),
  reference: /^reference$|reference|\bref\b|\bid\b|number/i,
};

/** Where each part of a record comes from: a column's number from 0, a text for every row, or nowhere. */
export type Columns = Readonly<Record<ImportField, { column: number } | { text: string } | null>>;

/** Guesses the columns by their names; one column is at most one part. */
export function guessColumns({ names }: Pick<Head, "names">): Columns {
  const taken = new Set<number>();
  const find = (field: ImportField) => {
    const free = (test: (name: string) => boolean) =>
      names.findIndex((name, index) => !taken.has(index) && test(name));
    const same = free((name) => name.toLowerCase() === field);
    const column = same >= 0 ? same : free((name) => WORDS[field].test(name.replaceAll("_", " ")));
    if (column < 0) return null;
    taken.add(column);
    return { column };
  };
  return Object.fromEntries(FIELDS.map((field) => [field, find(field)])) as Columns;
}

/** The columns as parameters of the gateway. A column that is called like a part, and is not to be read for it, is ignored. */
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
