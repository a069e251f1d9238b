import { randomUUID } from "node:crypto";
import { EMISSION_SCOPES, type EmissionScope } from "../../domain/enums.js";
import type { NewFacility, RecordContent } from "../../domain/records.js";
import { isWithinLimit, TEXT_LIMITS } from "../../domain/text-limits.js";
import { type AmountRules, describeAmount, mayHold, readAmount } from "./amounts.js";
import { type Columns, FIELDS, type Field, SCOPE_FIELDS } from "./columns.js";
import { readCountry } from "./country.js";
import { type DateRules, readRecordedOn } from "./dates.js";
import { type Problems, quote } from "./problems.js";
import { createTotalFinder } from "./totals.js";
import { EXPECTED_UNIT, readUnit, tonnesOf } from "./units.js";

/** How the texts of a file are written. */
export interface RowRules extends AmountRules, DateRules {
  readonly delimiter: string;
  /** Texts that mean nothing, besides the empty one. */
  readonly blank: ReadonlySet<string>;
  readonly skipBlank: boolean;
  readonly createFacilities: boolean;
  /** Of new facilities whose rows name none. */
  readonly country: string | undefined;
  /** Whether rows that add up all others are records like any other. */
  readonly keepTotals: boolean;
}

export interface RowReader {
  /** Reads one row; every record that is right goes to `stage`, every problem to `problems`. */
  read(fields: readonly string[], line: number): void;
  /** Adds the problems that only the whole file can tell. */
  end(): void;
  readonly newFacilities: ReadonlyMap<string, NewFacility>;
  /** Rows so far, without empty lines. */
  readonly rows: number;
  /** Blank amounts that were skipped. */
  readonly skipped: number;
  /** Rows with an amount that was rounded. */
  readonly rounded: number;
  /** Names of columns that had values, or a name, and that nothing was read from. */
  readonly ignored: readonly string[];
}

/** Takes a valid record, the line it comes from, and the id of its facility. */
export type Stage = (line: number, record: RecordContent, facilityId: string | undefined) => void;

interface RowReaderOptions {
  readonly columns: Columns;
  readonly rules: RowRules;
  /** Ids of the organization's facilities by code. */
  readonly facilities: ReadonlyMap<string, string>;
  readonly problems: Problems;
  readonly stage: Stage;
}

/** The longest texts, in characters. */
const LONGEST = {
  facility: TEXT_LIMITS.reference,
  facility_name: TEXT_LIMITS.name,
  category: TEXT_LIMITS.category,
  source: TEXT_LIMITS.source,
  reference: TEXT_LIMITS.reference,
} as const;

const EXPECTED_NO_TOTAL = "no row that adds up the others, as it would count them twice (or --keep-totals)";

/** A new facility, and where and how the file first names its country. */
interface FacilityOfFile extends NewFacility {
  country: string | undefined;
  countryLine: number;
  written: string;
}

type Amount = Pick<RecordContent, "co2e_tonnes"> & { readonly scope: EmissionScope };

/** Makes what turns the rows of one file into records. */
export function createRowReader(options: RowReaderOptions): RowReader {
  const { columns, rules, facilities, problems, stage } = options;
  const newFacilities = new Map<string, FacilityOfFile>();
  // What the command line says is written as ISO 8601, whatever the file has.
  const dateIsSet = "value" in (columns.sources.get("recorded_on") ?? {});
  const readDate = createCache((text) =>
    readRecordedOn(text, dateIsSet ? { ...rules, dateFormat: undefined } : rules),
  );
  const readTonnes = createCache((text) => {
    const unit = readUnit(text);
    return unit && tonnesOf(unit);
  });
  const hasUnit = columns.sources.has("unit");
  const wide = SCOPE_FIELDS.filter((field) => columns.sources.has(field));
  const amountFields: readonly Field[] = wide.length > 0 ? wide : ["co2e_tonnes"];
  const cutsAmounts = mayHold(rules, rules.delimiter);
  const totals = new Map((rules.keepTotals ? [] : amountFields).map((field) => [field, createTotalFinder()]));
  let [rows, skipped, rounded] = [0, 0, 0];
  const unnamed = new Set<number>();
  let row: readonly string[] = [];

  const { blank } = rules;
  const meaning = (text: string) => (blank.size > 0 && blank.has(text) ? "" : text);
  // One function for each field, made once: a look-up for each field of each row is what reading would be busy with.
  const readers = Object.fromEntries(
    FIELDS.map((field) => {
      const source = columns.sources.get(field);
      if (source === undefined) return [field, () => ""];
      if ("value" in source) return [field, () => source.value];
      const { index } = source;
      return [field, () => meaning(row[index]?.trim() ?? "")];
    }),
  ) as Record<Field, () => string>;
  const textOf = (field: Field): string => readers[field]();
  const refuse = (line: number, field: Field, expected: string, got: string) => {
    const name = columns.sources.get(field)?.name ?? field;
    problems.add(line, name, expected, got);
  };
  const readText = (line: number, field: keyof typeof LONGEST): string | undefined => {
    const text = textOf(field);
    if (text === "") return undefined;
    const most = LONGEST[field];
    if (!isWithinLimit(text, most)) {
      refuse(line, field, `at most ${most} characters`, `${quote(text)}, of ${[...text].length}`);
    }
    if (text.includes("\0")) refuse(line, field, "a text without NUL characters", quote(text));
    return text;
  };

  const findFacility = (line: number, code: string): string | undefined => {
    const known = facilities.get(code);
    if (known !== undefined) return known;
    const written = textOf("country");
    const made = newFacilities.get(code);
    if (made !== undefined) {
      if (written !== "" && written !== made.written) addCountry(line, written, made);
      return made.id;
    }
    if (!rules.createFacilities) {
      const expected = "the code of a facility of the organization (or --create-facilities)";
      refuse(line, "facility", expected, quote(code));
      return undefined;
    }
    const name = readText(line, "facility_name") ?? code;
    const id = randomUUID();
    const facility = { id, code, name, country: rules.country, countryLine: line, written: "" };
    newFacilities.set(code, facility);
    if (written !== "") addCountry(line, written, facility);
    return id;
  };

  /** The first row of a facility that names a country decides; another would be another facility with the same code. */
  const addCountry = (line: number, written: string, made: FacilityOfFile) => {
    const country = readCountry(written);
    if (country === undefined) {
      const expected =
        "a country of ISO 3166-1, by its code or its English, French, German or Spanish name (or --blank)";
      refuse(line, "country", expected, quote(written));
    } else if (made.written === "") {
      [made.country, made.countryLine, made.written] = [country, line, written];
    } else if (country !== made.country) {
      const expected = "the same country in every row of a facility";
      refuse(line, "country", expected, `${quote(written)}, and ${made.country} in line ${made.countryLine}`);
    }
  };

  /** The amounts of the row with their scopes: one, or one for each scope of a file that has them side by side. */
  const readAmounts = (line: number): Amount[] => {
    const amounts: Amount[] = [];
    let isRounded = false;
    for (const field of amountFields) {
      const text = textOf(field);
      if (text === "" && rules.skipBlank) {
        skipped += 1;
        continue;
      }
      const scope = field === "co2e_tonnes" ? readScope(line) : (field as EmissionScope);
      const perUnit = hasUnit ? readTonnes(textOf("unit")) : "1";
      if (perUnit === undefined) {
        refuse(line, "unit", EXPECTED_UNIT, quote(textOf("unit")));
        break;
      }
      const amount = readAmount(text, rules, perUnit);
      if (amount === undefined) {
        refuse(line, field, describeAmount(text, rules, perUnit), quote(text));
        continue;
      }
      totals.get(field)?.add(amount.tonnes, line);
      isRounded ||= amount.isRounded;
      if (scope !== undefined) amounts.push({ scope, co2e_tonnes: amount.tonnes });
    }
    if (isRounded) rounded += 1;
    return amounts;
  };

  const readScope = (line: number): EmissionScope | undefined => {
    const given = textOf("scope");
    const scope = readScopeName(given);
    if (scope === undefined) refuse(line, "scope", EXPECTED_SCOPE, quote(given));
    return scope;
  };

  return {
    newFacilities,
    get rows() {
      return rows;
    },
    get skipped() {
      return skipped;
    },
    get rounded() {
      return rounded;
    },
    get ignored() {
      return [...columns.ignored, ...[...unnamed].sort((a, b) => a - b).map((index) => `#${index + 1}`)];
    },
    end() {
      for (const [field, finder] of totals) {
        const line = finder.find();
        if (line !== undefined) refuse(line, field, EXPECTED_NO_TOTAL, "the sum of all other rows");
      }
    },
    read(fields, line) {
      if (isEmptyLine(fields)) return;
      rows += 1;
      const problemsBefore = problems.count;
      // Fields at the end that have nothing in them count for nothing.
      const last = fields.length > columns.count ? fields.findLastIndex((field) => field.trim() !== "") : -1;
      const most = cutsAmounts ? columns.count : columns.width;
      if (fields.length < columns.count || last >= most) {
        const expected = fields.length < columns.count ? columns.count : most;
        problems.add(line, null, `${expected} fields, as the header has`, String(fields.length));
        return;
      }
      for (let index = columns.count; index <= last; index += 1) {
        if (fields[index]?.trim() !== "") unnamed.add(index);
      }
      row = fields;
      const before = skipped;
      const amounts = readAmounts(line);
      // All of its amounts are blank.
      if (skipped - before === amountFields.length) return;
      const day = textOf("recorded_on");
      const date = readDate(day);
      if ("expected" in date) refuse(line, "recorded_on", date.expected, quote(day));
      const facility = readText(line, "facility");
      const facilityId = facility === undefined ? undefined : findFacility(line, facility);
      const category = readText(line, "category");
      const source = readText(line, "source");
      const reference = readText(line, "reference");
      // Of a file with problems nothing is kept, but what is staged tells which references stand there twice.
      if (problems.count > problemsBefore || "expected" in date) return;
      for (const { scope, co2e_tonnes } of amounts) {
        const values = { reference, recorded_on: date.day, scope, co2e_tonnes, facility, category, source };
        stage(line, values, facilityId);
      }
    },
  };
}

/** Of a spreadsheet, an empty line still has its delimiters. */
function isEmptyLine(fields: readonly string[]): boolean {
  return fields.every((field) => field.trim() === "");
}

/** The scope that a text names, as `scope_1`, `Scope 1`, `S1` or `1`; undefined for anything else. */
export function readScopeName(text: string): EmissionScope | undefined {
  const known = EMISSION_SCOPES.find((scope) => scope === text);
  if (known !== undefined) return known;
  const number = /^(?:(?:scope|s)[ _-]?)?([123])$/i.exec(text)?.[1];
  return number === undefined ? undefined : EMISSION_SCOPES[Number(number) - 1];
}

/** What is expected of a scope. */
export const EXPECTED_SCOPE = `one of ${EMISSION_SCOPES.join(", ")} (or "Scope 1", "S1", "1")`;

/** The same function, which remembers: files have few dates and units, and many rows. */
function createCache<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    if (known.size > 10_000) known.clear();
    known.set(text, result);
    return result;
  };
}
