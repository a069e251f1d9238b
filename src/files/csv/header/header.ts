import { guessHeader } from "../../../domain/emissions/header-words.js";
import { cutText } from "../../../domain/texts/text-limits.js";
import { type ColumnOptions, isWide } from "../csv-options.js";
import {
  ACTIVITY_FIELDS,
  type Columns,
  FACILITY_FIELDS,
  type Field,
  type FieldSource,
  hasActivities,
  NOT_WIDE,
  RECORD_FIELDS,
  SCOPE_FIELDS,
} from "../fields.js";
import type { Problems } from "../problems.js";
import { createNameFinder, describeNames, MAX_SHOWN, type NameFinder } from "./column-names.js";
import { readUnitColumn } from "./unit-column.js";

/** State of reading a header. */
interface Header extends NameFinder {
  readonly names: readonly string[];
  readonly line: number;
  readonly options: ColumnOptions;
  readonly problems: Problems;
  /** Sources of the fields found so far. */
  readonly sources: Map<Field, FieldSource>;
}

/**
 * Finds the columns of the fields in a header. Adds problems, for example for ambiguous columns and missing required
 * fields.
 */
export function readHeader(
  cells: readonly string[],
  line: number,
  options: ColumnOptions,
  problems: Problems,
): Columns {
  const names = cells.map((cell) => cell.trim());
  const sources = new Map<Field, FieldSource>();
  const header: Header = { names, line, options, problems, sources, ...createNameFinder(names) };
  for (const [field, value] of options.set) sources.set(field, { name: field, value });
  const notFound = readMapped(header);
  refuseSharedColumns(header);
  const ignored = readIgnored(header);
  const chosen = new Set([...sources.values()].flatMap((from) => ("index" in from ? from.index : [])));
  // A column `amount` that `map` reads as tonnes is not the amount of an activity.
  const isOwn = (index: number, field: Field) =>
    !ignored.has(index) && !(chosen.has(index) && ACTIVITY_FIELDS.some((one) => one === field));
  const findOwn = (field: Field) => header.findNamed(field).filter((index) => isOwn(index, field));
  for (const field of listFieldsByName(options)) {
    if (!sources.has(field) && !notFound.has(field)) readNamed(header, field, findOwn(field));
  }
  dropLoneAmount(header, findOwn("unit"));
  if (hasActivities(header)) readActivityUnit(header, findOwn("unit"));
  else readUnitColumn(line, sources, findOwn("unit"), problems);
  const missing = requiredFields(header).filter(
    (field) => !sources.has(field) && !notFound.has(field) && findOwn(field).length === 0,
  );
  if (missing.length > 0) {
    const guesses = guessOthers(header, ignored);
    const suggestions =
      guesses.length > 0 ? guesses : [{ map: `${missing[0]}=<column>` }, { set: `${missing[0]}=<text>` }];
    problems.add(line, null, `a header with ${missing.join(", ")}`, describeNames(names), suggestions);
  }
  return summarize(header);
}

/** Reads the columns of `map`; returns the fields whose columns are missing or ambiguous. */
function readMapped({ names, line, options, problems, sources, findChosen }: Header): Set<Field> {
  const notFound = new Set<Field>();
  for (const [field, wanted] of options.map) {
    const found = findChosen(wanted);
    if (typeof found === "number") {
      sources.set(field, { index: found, name: names[found] || `#${found + 1}` });
      continue;
    }
    notFound.add(field);
    problems.add(line, wanted, `${found} for ${field}`, describeNames(names));
  }
  return notFound;
}

/** Refuses a column that is mapped to two scopes, because its amounts would count twice. */
function refuseSharedColumns({ line, problems, sources }: Header): void {
  const seen = new Map<number, Field>();
  for (const field of SCOPE_FIELDS) {
    const source = sources.get(field);
    if (source === undefined || !("index" in source)) continue;
    const other = seen.get(source.index);
    if (other) problems.add(line, source.name, `different columns for ${other} and ${field}`, "the same");
    seen.set(source.index, field);
  }
}

function readIgnored({ names, line, options, problems, findChosen }: Header): Set<number> {
  const ignored = new Set<number>();
  for (const wanted of options.ignore) {
    const found = findChosen(wanted);
    if (typeof found === "number") ignored.add(found);
    else problems.add(line, wanted, `${found} to ignore`, describeNames(names));
  }
  return ignored;
}

/** Returns the fields to read from columns with their names. */
function listFieldsByName(options: ColumnOptions): Field[] {
  const fields = [...RECORD_FIELDS, ...ACTIVITY_FIELDS, ...(options.createFacilities ? FACILITY_FIELDS : [])];
  return fields.filter((field) => {
    if (field === "country") return options.country === undefined;
    return !(isWide(options) && NOT_WIDE.includes(field));
  });
}

function readNamed({ names, line, problems, sources }: Header, field: Field, found: readonly number[]): void {
  const [index] = found;
  if (index === undefined) return;
  if (found.length === 1) sources.set(field, { index, name: names[index] ?? field });
  else {
    const suggestions = found.slice(0, MAX_SHOWN).map((one) => ({ map: `${field}=#${one + 1}` }));
    problems.add(line, field, "the column once", `it ${found.length} times`, suggestions);
  }
}

/** Suggests unread columns for missing fields, by words of four languages. */
function guessOthers({ names, sources, options }: Header, ignored: ReadonlySet<number>) {
  if (isWide(options)) return [];
  const read = new Set([...sources.values()].flatMap((source) => ("index" in source ? source.index : [])));
  const isFree = (column: number, field: Field) =>
    !read.has(column) && !ignored.has(column) && !sources.has(field);
  return [...guessHeader(names, isFree)].map(([field, column]) => ({
    map: `${field}=${quoteColumn(names[column] ?? "")}`,
  }));
}

/** Quotes a column's name for an option. */
const quoteColumn = (name: string): string => (/\s/.test(name) ? JSON.stringify(name) : name);

function requiredFields(header: Header): Field[] {
  if (isWide(header.options)) return ["recorded_on"];
  return hasActivities(header) ? ["recorded_on", "unit"] : ["recorded_on", "scope", "co2e_tonnes"];
}

/** Ignores a column called `amount` in a file of tonnes that has no unit for it. */
function dropLoneAmount({ sources, options }: Header, unitColumns: readonly number[]): void {
  const isChosen = options.map.has("amount") || options.set.has("amount");
  const hasUnit = sources.has("unit") || unitColumns.length > 0;
  if (!isChosen && !hasUnit && sources.has("co2e_tonnes")) sources.delete("amount");
}

/** Reads the unit of activities. Adds a problem if the name of the tonnes column contains a different unit. */
function readActivityUnit(header: Header, unitColumns: readonly number[]): void {
  const { sources, line, problems } = header;
  if (!sources.has("unit")) readNamed(header, "unit", unitColumns);
  const tonnes = sources.get("co2e_tonnes");
  if (tonnes) readUnitColumn(line, new Map([["co2e_tonnes", tonnes]]), [], problems);
}

/** Maximum length of a column's name in a response, in characters. */
const MAX_NAME_LENGTH = 250;

function summarize({ names, sources }: Header): Columns {
  const fields = new Map(
    [...sources].flatMap(([field, source]) => ("index" in source ? [[source.index, field] as const] : [])),
  );
  const count = names.findLastIndex((name, index) => name !== "" || fields.has(index)) + 1;
  const named = names.slice(0, count).map((name, index) => ({
    name: cutText(name, MAX_NAME_LENGTH) || `#${index + 1}`,
    readAs: fields.get(index) ?? null,
  }));
  return { count, width: names.length, sources, named };
}
