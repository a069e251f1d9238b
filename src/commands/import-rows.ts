import { randomUUID } from "node:crypto";
import type { NewFacility } from "../data/import-records.js";
import { type RecordContent, recordId } from "../data/record-identity.js";
import { EMISSION_SCOPES, type EmissionScope } from "../domain/enums.js";
import { type IsoDate, isSupportedDate, SUPPORTED_DATE } from "../domain/window.js";
import { type AmountRules, describeAmount, mayHold, readAmount } from "./import-amounts.js";
import { type Columns, FIELDS, type Field, SCOPE_FIELDS } from "./import-columns.js";
import { readCountry } from "./import-country.js";
import { type Problems, quote } from "./import-problems.js";

/** How the texts of a file are written. */
export interface RowRules extends AmountRules {
  readonly delimiter: string;
  /** Texts that mean nothing, besides the empty one. */
  readonly blank: ReadonlySet<string>;
  readonly skipBlank: boolean;
  readonly createFacilities: boolean;
  /** Of new facilities whose row names none. */
  readonly country: string | undefined;
}

export interface RowReader {
  /** Reads one row; every record that is right goes to `stage`, every problem to `problems`. */
  read(fields: readonly string[], line: number): void;
  readonly newFacilities: ReadonlyMap<string, NewFacility>;
  /** Rows so far, without empty lines. */
  readonly rows: number;
  /** Blank amounts that were skipped. */
  readonly skipped: number;
  /** Names of columns that had values, or a name, and that nothing was read from. */
  readonly ignored: readonly string[];
}

/** Takes a record that is right: its id, the line it comes from, and the id of its facility. */
export type Stage = (id: string, line: number, record: RecordContent, facilityId: string | undefined) => void;

interface RowReaderOptions {
  readonly organizationId: string;
  readonly columns: Columns;
  readonly rules: RowRules;
  /** Ids of the organization's facilities by code. */
  readonly facilities: ReadonlyMap<string, string>;
  readonly problems: Problems;
  readonly stage: Stage;
}

/** What PostgreSQL can keep in an index, as of the codes of a bundle. */
const MOST_BYTES = 800;
const TEXT = "a text that holds no NUL";
const KEY = `a text of at most ${MOST_BYTES} bytes that holds no NUL`;

/** A new facility, the line that it first stands in, and its country as it is written there. */
type FacilityOfFile = NewFacility & { readonly line: number; readonly written: string };

type Amount = Pick<RecordContent, "co2e_tonnes"> & { readonly scope: EmissionScope };

/** Makes what turns the rows of one file into records. */
export function createRowReader(options: RowReaderOptions): RowReader {
  const { organizationId, columns, rules, facilities, problems, stage } = options;
  const newFacilities = new Map<string, FacilityOfFile>();
  const readDate = createDateReader();
  const wide = SCOPE_FIELDS.filter((field) => columns.sources.has(field));
  const amountFields: readonly Field[] = wide.length > 0 ? wide : ["co2e_tonnes"];
  const cutsAmounts = mayHold(rules, rules.delimiter);
  let [rows, skipped] = [0, 0];
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
    problems.add(line, name, expected, quote(got));
  };
  const readText = (line: number, field: Field, isKey: boolean): string | undefined => {
    const text = textOf(field);
    if (text === "") return undefined;
    if (
      text.includes("\0") ||
      (isKey && text.length * 3 > MOST_BYTES && Buffer.byteLength(text) > MOST_BYTES)
    ) {
      refuse(line, field, isKey ? KEY : TEXT, text);
    }
    return text;
  };

  const findFacility = (line: number, code: string): string | undefined => {
    const known = facilities.get(code);
    if (known !== undefined) return known;
    const written = textOf("country");
    const made = newFacilities.get(code);
    if (made !== undefined) {
      if (written !== "" && written !== made.written) requireSameCountry(line, written, made);
      return made.id;
    }
    if (!rules.createFacilities) {
      refuse(line, "facility", "the code of a facility of the organization (or --create-facilities)", code);
      return undefined;
    }
    const name = readText(line, "facility_name", false) ?? code;
    const country = readCountryOf(line, written);
    const id = randomUUID();
    newFacilities.set(code, { id, code, name, country: country ?? "", line, written });
    return id;
  };

  const readCountryOf = (line: number, written: string): string | undefined => {
    const country = written === "" ? rules.country : readCountry(written);
    if (country === undefined) {
      const expected = "a country of ISO 3166-1 for the new facility, as code or English name (or --country)";
      refuse(line, "country", expected, written);
    }
    return country;
  };

  /** A facility in two countries is two facilities with one code. */
  const requireSameCountry = (line: number, written: string, made: FacilityOfFile) => {
    const country = readCountryOf(line, written);
    if (country === undefined || made.country === "" || country === made.country) return;
    refuse(line, "country", `${made.country}, where line ${made.line} has this facility`, written);
  };

  /** The amounts of the row with their scopes: one, or one for each scope of a file that has them side by side. */
  const readAmounts = (line: number): Amount[] => {
    const amounts: Amount[] = [];
    for (const field of amountFields) {
      const text = textOf(field);
      if (text === "" && rules.skipBlank) {
        skipped += 1;
        continue;
      }
      const amount = readAmount(text, rules);
      if (amount === undefined) refuse(line, field, describeAmount(rules), text);
      const scope = field === "co2e_tonnes" ? readScope(line) : (field as EmissionScope);
      if (amount !== undefined && scope !== undefined) amounts.push({ scope, co2e_tonnes: amount });
    }
    return amounts;
  };

  const readScope = (line: number): EmissionScope | undefined => {
    const given = textOf("scope");
    const scope = EMISSION_SCOPES.find((known) => known === given);
    if (scope === undefined) refuse(line, "scope", `one of ${EMISSION_SCOPES.join(", ")}`, given);
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
    get ignored() {
      return [...columns.ignored, ...[...unnamed].sort((a, b) => a - b).map((index) => `#${index + 1}`)];
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
      const recordedOn = readDate(day);
      if (recordedOn === undefined) {
        refuse(line, "recorded_on", `${SUPPORTED_DATE}, or a year`, day);
      }
      const facility = readText(line, "facility", true);
      const facilityId = facility === undefined ? undefined : findFacility(line, facility);
      const category = readText(line, "category", true);
      const source = readText(line, "source", false);
      const reference = readText(line, "reference", true);
      // Of a file with problems nothing is kept, but what is staged tells which references stand there twice.
      if (problems.count > problemsBefore || recordedOn === undefined) return;
      for (const { scope, co2e_tonnes } of amounts) {
        const values = { reference, recorded_on: recordedOn, scope, co2e_tonnes, facility, category, source };
        stage(recordId(organizationId, values), line, values, facilityId);
      }
    },
  };
}

/** Of a spreadsheet, an empty line still has its delimiters. */
function isEmptyLine(fields: readonly string[]): boolean {
  return fields.every((field) => field.trim() === "");
}

/** A date that records may have, or a year as the last day of it; undefined for anything else. */
export function readDay(text: string): IsoDate | undefined {
  const date = /^\d{4}$/.test(text) ? `${text}-12-31` : text;
  return isSupportedDate(date) ? date : undefined;
}

/** Files have few dates and many rows. */
function createDateReader(): typeof readDay {
  const known = new Map<string, IsoDate | undefined>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    const result = readDay(text);
    if (known.size > 10_000) known.clear();
    known.set(text, result);
    return result;
  };
}
