import { snakeCase } from "../texts/snake-case.js";
import { TEXT_LIMITS } from "../texts/text-limits.js";

/** How a part of a record is stored, and where it comes from. */
interface PartRule {
  /** The type of its column, whose name is the part's in snake case. */
  readonly type: "date" | "emission_scope" | "numeric" | "jsonb" | "uuid" | "text";
  /** The most characters of a text. */
  readonly most?: number;
  /** True for a text of several lines, which no file has. */
  readonly hasLines?: true;
  /** True if bundles and CSV files have it: as `facility`, the code, for the facility's id. */
  readonly isInFiles?: true;
}

/**
 * The parts of an emission record that people write, in the order in which a conflict lists them. Whatever reads or writes
 * records follows from this: statements, imports and how they are undone, bundles, CSV files, and changes by people.
 */
export const RECORD_PARTS = {
  recordedOn: { type: "date", isInFiles: true },
  scope: { type: "emission_scope", isInFiles: true },
  co2eTonnes: { type: "numeric", isInFiles: true },
  activity: { type: "jsonb" },
  facilityId: { type: "uuid", isInFiles: true },
  category: { type: "text", most: TEXT_LIMITS.category, isInFiles: true },
  source: { type: "text", most: TEXT_LIMITS.source, isInFiles: true },
  marketBasedTonnes: { type: "numeric" },
  note: { type: "text", most: TEXT_LIMITS.note, hasLines: true },
  calculation: { type: "jsonb" },
  factorId: { type: "uuid" },
} as const satisfies Readonly<Record<string, PartRule>>;

type Parts = typeof RECORD_PARTS;
export type RecordPart = keyof Parts;

/** The parts that are texts. */
export type RecordText = {
  [Part in RecordPart]: Parts[Part]["type"] extends "text" ? Part : never;
}[RecordPart];

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** A text that files have, by the name of its column in CSV files, bundles and the database. */
export type FileText = {
  [Part in RecordText]: Parts[Part] extends { readonly isInFiles: true } ? Snake<Part> : never;
}[RecordText];

const RULES = Object.entries(RECORD_PARTS) as [RecordPart, PartRule][];

/** The parts of a record with the name and the type of their columns. */
export const RECORD_COLUMNS: readonly (readonly [
  part: RecordPart,
  column: string,
  type: PartRule["type"],
])[] = RULES.map(([part, { type }]) => [part, snakeCase(part), type]);

/** The columns of a record that come from files, besides its reference. */
export const FILE_COLUMNS: readonly string[] = RULES.flatMap(([part, { isInFiles }]) =>
  isInFiles ? [snakeCase(part)] : [],
);

/** The texts of a record, with the most characters of each. */
export const RECORD_TEXTS = RULES.filter(([, { type }]) => type === "text") as [
  RecordText,
  PartRule & { readonly most: number },
][];

/** The texts of a record that files have, by column, with the most characters of each. */
export const FILE_TEXTS = Object.fromEntries(
  RECORD_TEXTS.flatMap(([part, { most, isInFiles }]) => (isInFiles ? [[snakeCase(part), most]] : [])),
) as Readonly<Record<FileText, number>>;

/** The names of FILE_TEXTS. */
export const FILE_TEXT_NAMES = Object.keys(FILE_TEXTS) as readonly FileText[];
