import { type GuessedField, guessHeader } from "../../../domain/emissions/header-words.js";
import { findUnit } from "../../../domain/ghg/units.js";
import type { IsoDate } from "../../../domain/window.js";
import { isWide } from "../csv-options.js";
import { FIELDS, type Field, NOT_WIDE } from "../fields.js";
import type { GivenOptions } from "../given-options.js";
import { findUnits } from "../values/read-unit.js";
import { type FormatGuess, type FormatQuestion, guessDates, guessNumbers, type Value } from "./formats.js";
import { type Head, readHead } from "./head.js";

/** The guessed format of a file. */
export interface Guess {
  readonly head: Head;
  /** The given options, and guesses for the rest. */
  readonly options: GivenOptions;
  /** Open questions about values with two readings. */
  readonly questions: readonly FormatQuestion[];
}

/** Maximum number of distinct values to examine in a column. */
const MAX_VALUES = 1_000;
/** Number of rows to examine to see if a column fits a field. */
const MAX_SAMPLES = 100;
/** Maximum length of a column's name to search for a unit. */
const MAX_NAME_LENGTH = 250;

/** Guesses the options missing from `given`. `bytes` is the beginning of the file, up to the end of a line. */
export async function guessFile(bytes: Buffer, given: GivenOptions, today: IsoDate): Promise<Guess> {
  const head = await readHead(bytes, given);
  const { encoding, delimiter, skipLines } = head;
  const columns = guessColumns(head, given);
  const known = { ...given, ...columns, encoding, delimiter, skipLines };
  const valuesOf = (...fields: Field[]) =>
    listValues(
      head,
      fields.map((field) => columns.map?.get(field)),
    );
  const guesses: FormatGuess[] = [];
  if (given.dateFormat === undefined) guesses.push(await guessDates(valuesOf("recorded_on"), today));
  const { decimalComma, thousands, locale } = given;
  if ([decimalComma, thousands, locale].every((option) => option === undefined)) {
    guesses.push(guessNumbers(valuesOf("amount", "co2e_tonnes")));
  }
  return {
    head,
    options: Object.assign({}, known, ...guesses.map((guess) => ("options" in guess ? guess.options : {}))),
    questions: guesses.flatMap((guess) => ("question" in guess ? guess.question : [])),
  };
}

/** Returns the distinct values of columns, each given as `#` and its number. */
function listValues({ rows }: Head, columns: readonly (string | undefined)[]): readonly Value[] {
  const found = new Map<string, Value>();
  for (const column of columns) {
    const index = Number(column?.slice(1)) - 1;
    for (const { cells, line } of rows) {
      const text = cells[index]?.trim() ?? "";
      if (found.size < MAX_VALUES && text !== "" && !found.has(text)) found.set(text, { text, line });
    }
  }
  return [...found.values()];
}

const EXPECTED_VALUES: Partial<Record<GuessedField, RegExp>> = {
  recorded_on: /\d/,
  co2e_tonnes: /^[-+]?\d/,
  amount: /^[-+]?\d/,
};

/** Guesses the columns of missing fields by their names and values, and units by the columns' names. */
function guessColumns(
  head: Head,
  given: GivenOptions,
): Pick<GivenOptions, "map" | "set" | "ignore" | "unit"> {
  const { header, rows } = head;
  const names = header.cells.map((cell) => cell.trim());
  const map = new Map(given.map);
  const set = new Map(given.set);
  const taken = new Set([...map.values()].map((name) => columnOf(name, names)));
  const fits = (column: number, field: GuessedField) => {
    const pattern = EXPECTED_VALUES[field];
    const texts = rows
      .slice(0, MAX_SAMPLES)
      .map(({ cells }) => cells[column]?.trim() ?? "")
      .filter((text) => text !== "");
    return pattern === undefined || texts.filter((text) => pattern.test(text)).length * 2 >= texts.length;
  };
  const unfit = isWide({ map, set }) ? NOT_WIDE : [];
  const isFree = (column: number, field: GuessedField) =>
    !(field === "unit" && given.unit !== undefined) &&
    !unfit.includes(field) &&
    !taken.has(column) &&
    !map.has(field) &&
    !set.has(field) &&
    fits(column, field);
  // If the caller maps any column, the others are not guessed.
  const found = new Map(map.size > 0 ? [] : guessHeader(names, isFree));
  const [amount, tonnes] = [found.get("amount"), found.get("co2e_tonnes")];
  const hasText = (cells: readonly string[], column: number) => (cells[column]?.trim() ?? "") !== "";
  // A row must not have both tonnes and an activity. The file's own tonnes take precedence.
  if (amount !== undefined && tonnes !== undefined) {
    const isBoth = rows.some(({ cells }) => hasText(cells, amount) && hasText(cells, tonnes));
    if (isBoth) for (const field of ["amount", "unit"] as const) found.delete(field);
  }
  for (const [field, column] of found) map.set(field, `#${column + 1}`);
  const hasUnit = () => given.unit !== undefined || map.has("unit") || set.has("unit");
  if (found.has("amount") && !hasUnit()) {
    const unit = unitIn(names[found.get("amount") ?? -1] ?? "");
    if (unit !== undefined) set.set("unit", unit);
  }
  const used = new Set([...map.values()].map((name) => columnOf(name, names)));
  const unread = names.flatMap((name, index) =>
    UNREAD.includes(name.toLowerCase()) && !used.has(index) ? [`#${index + 1}`] : [],
  );
  const { units } = findUnits(names[columnOf(map.get("co2e_tonnes") ?? "", names)] ?? "");
  const [unit] = units;
  return {
    map,
    set,
    ignore: [...(given.ignore ?? []), ...unread],
    unit: units.size === 1 && unit !== "t" && !hasUnit() ? unit : given.unit,
  };
}

/** Column names that an import would read as fields, and that the guess therefore ignores unless it uses them. */
const UNREAD: readonly string[] = FIELDS.filter((field) => !["facility_name", "country"].includes(field));

/** Returns the index of a column given by number (`#7`) or name. */
const columnOf = (wanted: string, names: readonly string[]): number =>
  /^#\d+$/.test(wanted) ? Number(wanted.slice(1)) - 1 : names.indexOf(wanted);

/** Returns the unit at the end of a column's name, in brackets or as its last word: `Verbrauch (kWh)`. */
function unitIn(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const text = /[([]([^)\]]+)[)\]]\s*$/.exec(name)?.[1] ?? name.split(/[\s_]+/).at(-1) ?? "";
  return findUnit(text) === null ? undefined : text;
}
