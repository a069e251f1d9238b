import { type Problems, quote } from "./problems.js";
import { findUnits } from "./units.js";

export const RECORD_FIELDS = [
  "recorded_on",
  "scope",
  "co2e_tonnes",
  "facility",
  "category",
  "source",
  "reference",
] as const;
/** Amounts of one scope each, for files that have the scopes side by side: a record for each of them. */
export const SCOPE_FIELDS = ["scope_1", "scope_2", "scope_3"] as const;
/** What a facility is made of that is not there yet. */
export const FACILITY_FIELDS = ["facility_name", "country"] as const;
export const FIELDS = [...RECORD_FIELDS, ...SCOPE_FIELDS, ...FACILITY_FIELDS, "unit"] as const;
export type Field = (typeof FIELDS)[number];

/** Where a field's text comes from: a column, or the same text for every row. */
export type FieldSource =
  | { readonly name: string; readonly index: number }
  | { readonly name: string; readonly value: string };

export interface Columns {
  /** Of the header, which every row must have: those at its end without a name, and not asked for, are left out. */
  readonly count: number;
  /** All of the header. */
  readonly width: number;
  readonly sources: ReadonlyMap<Field, FieldSource>;
  /** Names of the columns that nothing is read from, among those that every row must have. */
  readonly ignored: readonly string[];
}

export interface ColumnOptions {
  /** Columns by name, or by number as `#7`, in place of the one that has the field's name. */
  readonly map: ReadonlyMap<Field, string>;
  readonly set: ReadonlyMap<Field, string>;
  /** Columns, by name or number, that are not taken for fields though they have a field's name. */
  readonly ignore: readonly string[];
  readonly createFacilities: boolean;
  /** Of new facilities: given so, a column that merely has the name `country` is not read. */
  readonly country: string | undefined;
}

/** Finds the columns of a header, and adds a problem for each field that must be there and is not. */
export function readHeader(
  cells: readonly string[],
  line: number,
  options: ColumnOptions,
  problems: Problems,
): Columns {
  const names = cells.map((cell) => cell.trim());
  const sources = new Map<Field, FieldSource>();
  for (const [field, value] of options.set) sources.set(field, { name: field, value });
  const failed = new Set<Field>();
  for (const [field, wanted] of options.map) {
    const found = findMapped(names, wanted);
    if (typeof found === "number")
      sources.set(field, { index: found, name: names[found] || `#${found + 1}` });
    else {
      failed.add(field);
      problems.add(line, wanted, `${found} for ${field}`, listed(names));
    }
  }
  requireOwnColumns(line, sources, problems);
  const left = new Set<number>();
  for (const wanted of options.ignore) {
    const found = findMapped(names, wanted);
    if (typeof found === "number") left.add(found);
    else problems.add(line, wanted, `${found} to ignore`, listed(names));
  }
  const findField = (field: Field) => findNamed(names, field).filter((index) => !left.has(index));
  const byName = [...RECORD_FIELDS, ...(options.createFacilities ? FACILITY_FIELDS : [])].filter(
    (field) =>
      !(isWide(options) && NOT_WIDE.includes(field)) &&
      !(field === "country" && options.country !== undefined),
  );
  for (const field of byName) {
    if (sources.has(field) || failed.has(field)) continue;
    const found = findField(field);
    if (found.length > 1)
      problems.add(
        line,
        field,
        "the column once (or --map, which takes its number)",
        `it ${found.length} times`,
      );
    else if (found[0] !== undefined) sources.set(field, { index: found[0], name: names[found[0]] ?? field });
  }
  findUnit(line, sources, findField("unit"), problems);
  const missing = requiredFields(options).filter((field) => !sources.has(field) && !failed.has(field));
  const twice = missing.filter((field) => findField(field).length > 1);
  const absent = missing.filter((field) => !twice.includes(field));
  if (absent.length > 0) {
    const hint = `a header with ${absent.join(", ")} (or --map ${absent[0]}=<column>, or --set)`;
    problems.add(line, null, hint, listed(names));
  }
  const used = new Set([...sources.values()].map((source) => ("index" in source ? source.index : undefined)));
  const count = names.findLastIndex((name, index) => name !== "" || used.has(index)) + 1;
  const ignored = names
    .slice(0, count)
    .flatMap((name, index) => (used.has(index) ? [] : [name || `#${index + 1}`]));
  return { count, width: names.length, sources, ignored };
}

/** An amount is of one scope: a column that is two scopes' would be counted twice. */
function requireOwnColumns(line: number, sources: ReadonlyMap<Field, FieldSource>, problems: Problems): void {
  const seen = new Map<number, Field>();
  for (const field of SCOPE_FIELDS) {
    const source = sources.get(field);
    if (source === undefined || !("index" in source)) continue;
    const other = seen.get(source.index);
    if (other) problems.add(line, source.name, `another column for ${field} than for ${other}`, "the same");
    seen.set(source.index, field);
  }
}

/**
 * Amounts are tonnes if neither their columns' names nor a unit say otherwise. A column with the name `unit` is read if
 * the names of the amounts' columns say nothing.
 */
function findUnit(
  line: number,
  sources: Map<Field, FieldSource>,
  unitColumns: readonly number[],
  problems: Problems,
): void {
  const columns = (["co2e_tonnes", ...SCOPE_FIELDS] as const).flatMap((field) => {
    const source = sources.get(field);
    return source !== undefined && "index" in source
      ? [{ name: source.name, ...findUnits(source.name) }]
      : [];
  });
  const [unitColumn] = unitColumns;
  if (!sources.has("unit") && unitColumns.length === 1 && unitColumn !== undefined) {
    if (columns.every(({ units, other }) => units.size === 0 && other === undefined))
      sources.set("unit", { name: "unit", index: unitColumn });
  }
  const first = columns.find(({ units }) => units.size > 0);
  for (const { name, units, other } of columns) {
    const got = `a name that says ${[...units, ...(other === undefined ? [] : [other])].join(" or ")}`;
    if (units.size === 0 && other === undefined) continue;
    if (other !== undefined) problems.add(line, name, "amounts of emissions in a unit of mass", got);
    else if (sources.has("unit")) {
      const isSame = first && [...first.units].join() === [...units].join();
      if (!isSame) problems.add(line, name, "the same unit as in the other columns of amounts", got);
    } else if (units.size > 1 || !units.has("t")) {
      problems.add(line, name, `tonnes (or ${[...units].map((unit) => `--unit ${unit}`).join(" or ")})`, got);
    }
  }
}

/** What a row that has the scopes side by side cannot have. */
export const NOT_WIDE: readonly Field[] = ["scope", "co2e_tonnes", "reference"];

/** Whether rows have the scopes side by side. */
export function isWide({ map, set }: Pick<ColumnOptions, "map" | "set">): boolean {
  return SCOPE_FIELDS.some((field) => map.has(field) || set.has(field));
}

function requiredFields(options: ColumnOptions): Field[] {
  return isWide(options) ? ["recorded_on"] : ["recorded_on", "scope", "co2e_tonnes"];
}

function findNamed(names: readonly string[], wanted: string): number[] {
  const at = (same: (name: string) => boolean) => names.flatMap((name, index) => (same(name) ? [index] : []));
  const exact = at((name) => name === wanted);
  return exact.length > 0 ? exact : at((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** The index of a column, or what would have been expected. */
function findMapped(names: readonly string[], wanted: string): number | string {
  const found = findNamed(names, wanted.trim());
  if (found.length === 1 && found[0] !== undefined) return found[0];
  if (found.length > 1) {
    return `the column once (${found.map((index) => `#${index + 1}`).join(" or ")} says which)`;
  }
  const number = Number(/^#([1-9]\d{0,4})$/.exec(wanted)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return "a column of this name";
  return number <= names.length ? number - 1 : `a column number of at most ${names.length}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => quote(name));
  if (names.length > 12) shown.push(`${names.length - 12} more`);
  return shown.length === 0 ? "an empty line" : `the columns ${shown.join(", ")}`;
}
