import {
  FILE_AMOUNTS,
  FILE_TEXT_NAMES,
  type FileAmount,
  type FileText,
} from "../../../domain/emissions/record-parts.js";
import type { NewFacility, RecordContent } from "../../../domain/emissions/records.js";
import type { RowRules } from "../csv-options.js";
import { type Columns, type Field, fileAmounts, hasActivities, SCOPE_FIELDS } from "../fields.js";
import { type Problems, quote } from "../problems.js";
import { readRecordedOn } from "../values/dates.js";
import { createColumnNumbers } from "../values/numbers.js";
import { mayContain } from "../values/parse-amount.js";
import { type ActivityAmount, kindOfRow, readActivity } from "./activities.js";
import { createAmountReader } from "./amount-reader.js";
import {
  createDistinctActivities,
  type DistinctActivity,
  type FacilityPlace,
} from "./distinct-activities.js";
import { createFacilityFinder } from "./facility-finder.js";
import { readFileAmount } from "./file-amounts.js";
import { copyText, memoize } from "./memoize.js";
import { createOtherUnitFinder, type OtherUnits } from "./other-units.js";
import { createRow } from "./row.js";

/** Converts the rows of one file to records. */
export interface RowReader {
  read(cells: readonly string[], line: number): void;
  /** Reads the waiting rows, and adds the problems that depend on the whole file. */
  end(): void;
  readonly newFacilities: ReadonlyMap<string, NewFacility>;
  /** The distinct activities of all rows. */
  readonly activities: readonly DistinctActivity[];
  /** Number of rows so far, without empty lines. */
  readonly rows: number;
  /** Number of skipped blank amounts. */
  readonly skipped: number;
  /** Number of rows with a rounded amount. */
  readonly rounded: number;
  /** Unread columns with a name or a value. */
  readonly ignored: readonly string[];
  /** Rows for which the file states a unit other than the one read; undefined if it has none. */
  readonly otherUnits: OtherUnits | undefined;
}

/** Receives a valid record in tonnes. */
export type OnRecord = (line: number, record: RecordContent, facilityId: string | undefined) => void;

/** A record whose tonnes are calculated from its activity. */
export type ActivityRecord = Omit<RecordContent, "scope" | "co2e_tonnes"> & ActivityAmount;

/** Receives a valid record of an activity. */
export type OnActivity = (line: number, record: ActivityRecord, facilityId: string | undefined) => void;

export interface KnownFacility {
  readonly id: string;
  readonly country: string | null;
}

interface RowReaderOptions {
  readonly columns: Columns;
  readonly rules: RowRules;
  /** The organization's facilities by code. */
  readonly facilities: ReadonlyMap<string, KnownFacility>;
  readonly problems: Problems;
  readonly onRecord: OnRecord;
  readonly onActivity: OnActivity;
}

/** Maximum number of rows with ambiguous numbers that wait for an unambiguous one. */
const MAX_WAITING = 10_000;

/** Creates a reader for the rows below a header. */
export function createRowReader({
  columns,
  rules,
  facilities,
  problems,
  onRecord,
  onActivity,
}: RowReaderOptions): RowReader {
  const row = createRow(columns, rules, problems);
  const numbers = rules.locale === undefined ? undefined : createColumnNumbers(rules.locale);
  const amountReader = createAmountReader(columns, rules, problems, numbers);
  const isMixed = hasActivities(columns);
  const distinct = createDistinctActivities();
  const numberFields = (["co2e_tonnes", "amount", ...FILE_AMOUNTS, ...SCOPE_FIELDS] as const).filter(
    (field) => columns.sources.has(field),
  );
  const others = fileAmounts(columns);
  let waiting: { readonly cells: readonly string[]; readonly line: number }[] = [];
  const finder = createFacilityFinder(facilities, rules);
  const otherUnits = createOtherUnitFinder(columns);
  const width = createWidthCheck(columns, rules, problems);
  // A date in an option is in ISO 8601, whatever the file's format.
  const isDateSet = "value" in (columns.sources.get("recorded_on") ?? {});
  const readDate = memoize((text) =>
    readRecordedOn(text, isDateSet ? { ...rules, dateFormat: undefined } : rules),
  );
  let rows = 0;

  const placeOf = (code: string | undefined): FacilityPlace | undefined => {
    if (code === undefined) return undefined;
    const known = facilities.get(code);
    if (known) return { country: known.country };
    const country = finder.created.get(code)?.country;
    return country === undefined ? { created: code } : { country };
  };

  /** Returns true if the numbers of the row can be read now. */
  const settles = (line: number): boolean =>
    numbers === undefined ||
    numberFields.map((field: Field) => numbers.settles(field, row.textOf(field), line)).every(Boolean);

  const readRow = (cells: readonly string[]) => {
    const { line } = row;
    const problemsBefore = problems.count;
    const kind = isMixed ? kindOfRow(row) : "tonnes";
    if (kind === "both") {
      row.refuse("amount", "nothing, because co2e_tonnes has a value", quote(row.textOf("amount")));
      return;
    }
    const amounts = kind === "activity" ? [] : amountReader.read(row);
    if (amounts === null) return;
    const day = row.textOf("recorded_on");
    const date = readDate(day);
    if ("expected" in date) row.refuse("recorded_on", date.expected, quote(day), date.suggestions);
    const facility = row.readText("facility");
    const facilityId = facility === undefined ? undefined : finder.find(row, facility);
    const activity =
      kind === "activity" ? readActivity(row, placeOf(facility), distinct, rules, numbers) : undefined;
    const texts: Partial<Record<FileText, string | undefined>> = {};
    for (const name of FILE_TEXT_NAMES) texts[name] = row.readText(name);
    const otherAmounts: Partial<Record<FileAmount, string | undefined>> = {};
    for (const name of others) otherAmounts[name] = readFileAmount(row, name, rules, numbers, activity);
    const reference = row.readText("reference");
    if (problems.count > problemsBefore || "expected" in date) return;
    if (kind === "tonnes") otherUnits.examine(cells, line);
    const content = { reference, recorded_on: date.day, facility, ...texts, ...otherAmounts };
    if (activity) {
      distinct.count(activity.index, line, Number(date.day.slice(0, 4)));
      onActivity(line, { ...content, ...activity }, facilityId);
    }
    for (const amount of amounts) onRecord(line, { ...content, ...amount }, facilityId);
  };

  /** Reads the waiting rows that can be read now, or all of them. */
  const readWaiting = (all: boolean) => {
    const rest = waiting;
    waiting = [];
    for (const { cells, line } of rest) {
      row.next(cells, line);
      if (all || settles(line)) readRow(cells);
      else waiting.push({ cells, line });
    }
  };

  return {
    newFacilities: finder.created,
    get rows() {
      return rows;
    },
    get skipped() {
      return amountReader.skipped;
    },
    get rounded() {
      return amountReader.rounded;
    },
    get ignored() {
      const unread = columns.named.filter(({ readAs }) => readAs === null);
      return [...unread.map(({ name }) => name), ...width.listUnnamed()];
    },
    get otherUnits() {
      return otherUnits.find();
    },
    end() {
      readWaiting(true);
      amountReader.refuseTotals();
    },
    activities: distinct.list,
    read(cells, line) {
      if (isEmptyLine(cells)) return;
      rows += 1;
      if (!width.fits(cells, line)) return;
      row.next(cells, line);
      if (settles(line) || waiting.length === MAX_WAITING) readRow(cells);
      else waiting.push({ cells: cells.map(copyText), line });
      const [first] = waiting;
      if (first === undefined) return;
      row.next(first.cells, first.line);
      if (settles(first.line)) readWaiting(false);
    },
  };
}

/** Creates a check that rows have as many fields as the header, apart from empty ones at the end of a row. */
function createWidthCheck(columns: Columns, rules: RowRules, problems: Problems) {
  const unnamed = new Set<number>();
  // An extra field may be the end of an amount that contains the delimiter.
  const max = mayContain(rules, rules.delimiter) ? columns.count : columns.width;
  return {
    /** Returns true if a row fits; otherwise adds a problem. */
    fits(cells: readonly string[], line: number): boolean {
      const last = cells.length > columns.count ? cells.findLastIndex((cell) => cell.trim() !== "") : -1;
      if (cells.length < columns.count || last >= max) {
        const expected = cells.length < columns.count ? columns.count : max;
        problems.add(line, null, `${expected} fields, as in the header`, String(cells.length));
        return false;
      }
      for (let index = columns.count; index <= last; index += 1) {
        if (cells[index]?.trim() !== "") unnamed.add(index);
      }
      return true;
    },
    /** Lists columns with values but no name, as `#7`. */
    listUnnamed: () => [...unnamed].sort((a, b) => a - b).map((index) => `#${index + 1}`),
  };
}

/** Returns true if all cells are empty. Spreadsheets write an empty line with its delimiters. */
export function isEmptyLine(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}
