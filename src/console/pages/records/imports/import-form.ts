import type { Problem } from "../../../gateway/failure.js";
import { textOf } from "../../../parts/forms/values.js";
import { type Columns, columnParameters, FIELDS, FILE_TEXTS, type ImportField } from "./columns.js";
import type { Head } from "./read-head.js";

/** Labels of the parts of a record in a file. */
export const FIELD_NAMES: Readonly<Record<ImportField, string>> = {
  recorded_on: "Day",
  scope: "Scope",
  co2e_tonnes: "Emissions",
  facility: "Facility code",
  category: "Category",
  ...(Object.fromEntries(FILE_TEXTS.map(({ name, label }) => [name, label])) as Record<
    (typeof FILE_TEXTS)[number]["name"],
    string
  >),
  reference: "Reference",
  amount: "Amount of an activity",
  unit: "Unit",
  activity: "Activity",
  region: "Region",
  detail: "Detail",
  gas: "Gas",
  factor_id: "Factor's id",
  source_factor_id: "Publisher's id of the factor",
};

/** Locales of numbers, each with an example. */
export const LOCALES: Readonly<Record<string, string>> = {
  "en-GB": "1,250.5 (English)",
  "de-DE": "1.250,5 (German)",
  "fr-FR": "1 250,5 (French)",
  "es-ES": "1.250,5 (Spanish)",
  "de-CH": "1’250.5 (Swiss)",
  "en-IN": "1,25,000.5 (Indian)",
};

/** Labels of the checkboxes for a file's options. */
export const TICKS: Readonly<Record<string, string>> = {
  create_facilities: "Create facilities that are new",
  decimal_comma: "Amounts have a decimal comma",
  thousands: "Amounts have thousands separators",
  round: "Round amounts to 6 decimals",
  skip_blank: "Skip rows without an amount",
};

/** Reads a choice: a column's number from 0, or a string for every row. */
function readChoice(choice: string): Columns[ImportField] {
  if (choice === "") return null;
  return /^\d+$/.test(choice) ? { column: Number(choice) } : { text: choice };
}

const readColumns = (values: FormData): Columns =>
  Object.fromEntries(FIELDS.map((field) => [field, readChoice(textOf(values, field))])) as Columns;

/** Checks the choices, as far as a browser can. */
export function checkColumns(values: FormData): readonly Problem[] {
  const columns = readColumns(values);
  const needed = columns.amount
    ? (["recorded_on", "unit"] as const)
    : (["recorded_on", "scope", "co2e_tonnes"] as const);
  return needed
    .filter((field) => columns[field] === null)
    .map((field) => ({ path: field, message: "Expected a column: every record needs it." }));
}

interface Sending {
  readonly isDryRun: boolean;
  /** Codes of the questions that the user accepts. */
  readonly accept: readonly string[];
}

/** Returns the address that imports a file with the options of a form. */
export function importAddress(
  values: FormData,
  head: Head,
  file: string,
  { isDryRun, accept }: Sending,
): string {
  const columns = readColumns(values);
  const dateFormat = textOf(values, "date_format").trim();
  const query = new URLSearchParams([
    ...columnParameters(columns, head),
    ...(head.delimiter === "," ? [] : [["delimiter", head.delimiter === "\t" ? "\\t" : head.delimiter]]),
    ...(textOf(values, "tonnes_unit") === "t" || columns.unit
      ? []
      : [["unit", textOf(values, "tonnes_unit")]]),
    ...(textOf(values, "locale") ? [["locale", textOf(values, "locale")]] : []),
    ...(dateFormat ? [["date_format", dateFormat]] : []),
    ...Object.keys(TICKS).flatMap((name) => (values.has(name) ? [[name, "true"]] : [])),
    ["file", file],
    ...accept.map((code) => ["accept", code]),
    ...(isDryRun ? [["dry_run", "true"]] : []),
  ]);
  return `/api/v1/emissions/import?${query}`;
}

/** A fault at one place of a file. */
export interface FileProblem {
  /** Label such as `Line 3`. */
  readonly line: string;
  readonly column: string;
  readonly expected: string;
  readonly got: string;
}

/** Parses a problem of a file. It names options that would help by their labels in the form. */
export function readProblem({ path, message }: Problem): FileProblem {
  const [, line, column = ""] = /^line (\d+)(?:, column (.*))?$/s.exec(path) ?? [];
  const [, expected = message, got = ""] = /^expected (.*), got (.*)$/s.exec(message) ?? [];
  const named = Object.entries(TICKS).reduce(
    (text, [name, label]) => text.replaceAll(`${name}=true`, `tick “${label}”`),
    expected,
  );
  return { line: line === undefined ? path : `Line ${line}`, column, expected: named, got };
}
