import { snakeCase } from "../texts/snake-case.js";
import { TEXT_LIMITS } from "../texts/text-limits.js";

/** Storage of a part of a record. */
interface PartRule {
  /** Type of the column, whose name is that of the part in snake case. */
  readonly type: "date" | "emission_scope" | "numeric" | "jsonb" | "uuid" | "text";
  /** Maximum length in characters. */
  readonly max?: number;
  /** True if the string may have several lines. Files do not have such parts. */
  readonly hasLines?: true;
  /** True if bundles and CSV files have the part. Instead of the facility's id, they have its code. */
  readonly isInFiles?: true;
}

/**
 * Parts of an emission record that users set, in the order in which a conflict lists them. All code that reads or
 * writes records derives from this table: SQL, imports and their reversal, bundles, CSV files and edits.
 */
export const RECORD_PARTS = {
  recordedOn: { type: "date", isInFiles: true },
  scope: { type: "emission_scope", isInFiles: true },
  co2eTonnes: { type: "numeric", isInFiles: true },
  activity: { type: "jsonb" },
  facilityId: { type: "uuid", isInFiles: true },
  category: { type: "text", max: TEXT_LIMITS.category, isInFiles: true },
  source: { type: "text", max: TEXT_LIMITS.source, isInFiles: true },
  marketBasedTonnes: { type: "numeric" },
  energyKwh: { type: "numeric" },
  biogenicCo2Tonnes: { type: "numeric" },
  note: { type: "text", max: TEXT_LIMITS.note, hasLines: true },
  calculation: { type: "jsonb" },
  factorId: { type: "uuid" },
} as const satisfies Readonly<Record<string, PartRule>>;

type Parts = typeof RECORD_PARTS;
export type RecordPart = keyof Parts;

/** Parts that are strings. */
export type RecordText = {
  [Part in RecordPart]: Parts[Part]["type"] extends "text" ? Part : never;
}[RecordPart];

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** Column of a string in CSV files, bundles and the database. */
export type FileText = {
  [Part in RecordText]: Parts[Part] extends { readonly isInFiles: true } ? Snake<Part> : never;
}[RecordText];

const RULES = Object.entries(RECORD_PARTS) as [RecordPart, PartRule][];

/** Parts of a record, with the names and types of their columns. */
export const RECORD_COLUMNS: readonly (readonly [
  part: RecordPart,
  column: string,
  type: PartRule["type"],
])[] = RULES.map(([part, { type }]) => [part, snakeCase(part), type]);

/** Columns of the parts in files. The facility's is its id, and CSV files may have `FILE_AMOUNTS` as well. */
export const FILE_COLUMNS: readonly string[] = RULES.flatMap(([part, { isInFiles }]) =>
  isInFiles ? [snakeCase(part)] : [],
);

/** Columns of amounts that CSV files may have besides tonnes. */
export const FILE_AMOUNTS = ["energy_kwh", "biogenic_co2_tonnes"] as const;
export type FileAmount = (typeof FILE_AMOUNTS)[number];

/** Strings of a record, with their maximum lengths. */
export const RECORD_TEXTS = RULES.filter(([, { type }]) => type === "text") as [
  RecordText,
  PartRule & { readonly max: number },
][];

/** Maximum lengths of a record's strings in files, by column. */
export const FILE_TEXTS = Object.fromEntries(
  RECORD_TEXTS.flatMap(([part, { max, isInFiles }]) => (isInFiles ? [[snakeCase(part), max]] : [])),
) as Readonly<Record<FileText, number>>;

export const FILE_TEXT_NAMES = Object.keys(FILE_TEXTS) as readonly FileText[];
